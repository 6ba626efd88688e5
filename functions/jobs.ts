import { job as registryRefresh } from './marketdata/jobs/registry/job.ts';
import { job as tickerSnapshot } from './marketdata/jobs/snapshot/job.ts';

/** The table of every scheduled job, for the build and the infrastructure. */
export const jobs = [registryRefresh, tickerSnapshot] as const;
