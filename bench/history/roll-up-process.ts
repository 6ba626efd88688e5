/** The process of the roll-up alone, so that its memory and processor time are the job's: runs it whenever it is told to. */
import { historyStoreIn } from '../../functions/marketdata/jobs/history-store.ts';
import { rollUp } from '../../functions/marketdata/jobs/roll-up/roll-up.ts';
import { fileBucket, type Traffic } from './file-bucket.ts';

/** Times at which the job runs, one after the other, in milliseconds since the epoch. */
export interface Order {
  readonly runsAt: readonly number[];
}

/** Of all runs of an order. */
export interface RollUpFigures extends Traffic {
  readonly days: readonly string[];
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Of the run that took most. */
  readonly worstCpuMs: number;
  /** The most that the process has had in memory since it began. */
  readonly peakBytes: number;
}

const folder = process.argv[2] ?? '';

process.on('message', async ({ runsAt }: Order) => {
  const bucket = fileBucket(folder);
  const days: string[] = [];
  let [wallMs, cpuMs, worstCpuMs] = [0, 0, 0];
  for (const time of runsAt) {
    Date.now = () => time;
    const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
    days.push(...(await rollUp(historyStoreIn(bucket), time, () => {})));
    const { user, system } = process.cpuUsage(cpuBefore);
    const ofRun = (user + system) / 1e3;
    wallMs += performance.now() - before;
    cpuMs += ofRun;
    worstCpuMs = Math.max(worstCpuMs, ofRun);
  }
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  process.send?.({ ...bucket.traffic, days, wallMs, cpuMs, worstCpuMs, peakBytes } satisfies RollUpFigures);
});
