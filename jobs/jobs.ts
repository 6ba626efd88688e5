import { job as registryRefresh } from './registry-refresh/job.ts';
import { job as tickerSnapshot } from './ticker-snapshot/job.ts';

/** The table of every scheduled job, for the build and the infrastructure. */
export const jobs = [registryRefresh, tickerSnapshot] as const;
