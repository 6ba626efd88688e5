import { vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { historyReader } from '../../shared/marketdata/store/reader.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { BUCKET, DAY_MS, pathOf, type Run, samplesFile, samplesPath } from './market.ts';

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
  const reader = historyReader(BUCKET);
  const signal = () => AbortSignal.timeout(5000);
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
    days: async (id) => (await reader.daily(id, signal()))?.candles ?? [],
    hours: async (id, month) => (await reader.hourly(id, month, signal()))?.candles ?? [],
    async hoursOfDay(id, day) {
      const table = await reader.hoursTable(day - (day % DAY_MS), signal());
      return table ? reader.hours(table, id, signal()) : [];
    },
    made: () => new Map([...s3.objects].filter(([path]) => !path.startsWith(pathOf('samples.v2/'))).sort()),
    async close() {
      vi.useRealTimers();
      vi.unstubAllEnvs();
      await s3.close();
    },
  };
}
