import { domains } from './domains.ts';

/** The scheduled jobs of all domains; a stage has those with `onlyWith` if its configuration says so. */
export const jobs = domains.flatMap(({ jobs = [] }) => jobs);
