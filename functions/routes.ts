import { domains } from './domains.ts';

/** Every endpoint of every domain. */
export const routes = domains.flatMap(({ routes }) => routes);
