import { vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { BUCKET, pathOf, type Run, samplesFile, samplesPath } from './market.ts';
import { storedIn } from './read.ts';

export interface HistoryBench {
  readonly s3: S3Server;
  put(runs: readonly Run[], minutes?: number): void;
  /** Runs the roll-up's handler at a moment (ms since the epoch). */
  rollUpAt(now: number): Promise<{ hoursUntil: string | undefined; days: readonly string[] }>;
  days(id: string): Promise<readonly StoredCandle[]>;
  hours(id: string, month: number): Promise<readonly StoredCandle[]>;
  hoursOfDay(id: string, day: number): Promise<readonly StoredCandle[]>;
  /** All but the samples, by path. */
  made(): Map<string, Buffer>;
  close(): Promise<void>;
}

/** A store in a server of its own in place of S3, with a clock that the test sets; a cold start. */
export async function startHistory(): Promise<HistoryBench> {
  const s3 = await startStubbedS3();
  vi.stubEnv('HISTORY_BUCKET', BUCKET);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.resetModules();
  withoutPace();
  const stored = storedIn(BUCKET);
  return {
    s3,
    put(runs, minutes = 10) {
      for (const run of runs) s3.objects.set(samplesPath(run, minutes), samplesFile(run, minutes));
    },
    async rollUpAt(now) {
      vi.setSystemTime(now);
      const { handler } = await import('../../functions/marketdata/jobs/roll-up/handler.ts');
      return handler();
    },
    days: async (id) => (await stored.daily(id)).candles,
    hours: async (id, month) => (await stored.hourly(id, month)).candles,
    hoursOfDay: (id, day) => stored.hoursOn(day - (day % DAY_MS), id),
    made: () => new Map([...s3.objects].filter(([path]) => !path.startsWith(pathOf('samples.v4/'))).sort()),
    async close() {
      vi.useRealTimers();
      vi.unstubAllEnvs();
      await s3.close();
    },
  };
}
