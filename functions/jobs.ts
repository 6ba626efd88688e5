import { domains } from './domains.ts';

/** Every scheduled job of every domain. */
export const jobs = domains.flatMap(({ jobs = [] }) => jobs);
