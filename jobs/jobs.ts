import { job as registryRefresh } from './registry-refresh/job.ts';

/** The table of every scheduled job, for the build and the infrastructure. */
export const jobs = [registryRefresh] as const;
