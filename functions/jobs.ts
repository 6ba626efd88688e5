import { domains } from './domains.ts';

const all = domains.flatMap(({ jobs = [] }) => jobs);

/** The scheduled jobs of all domains that every stage has. */
export const jobs = all.filter(({ onlyWith }) => !onlyWith);
/** Those that a stage has only if its configuration says so. */
export const optionalJobs = all.filter(({ onlyWith }) => onlyWith);
