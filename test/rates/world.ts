import { afterEach, beforeEach, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { pastRatesText } from '../../shared/marketdata/past-rates.ts';
import { type EuroRates, readRates } from '../../shared/marketdata/rates.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { type Loopback, respond, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { documentOf, figures } from './document.ts';

/** The evening of a Friday. */
export const FRIDAY = Date.UTC(2026, 10, 20, 18);
export const BUCKET = 'bucket';
export const PAST_RATES = `/${BUCKET}/snapshot/past-rates.v1`;
export const RATES = `/${BUCKET}/snapshot/rates.v1`;

type Handler = typeof import('../../functions/marketdata/jobs/daily-rates/handler.ts')['handler'];

/** The working days of a year before that Friday, the newest first, as in the real file. */
const pastDays = Array.from({ length: 365 }, (_, index) => new Date(FRIDAY - (index + 1) * DAY_MS))
  .filter((day) => ![0, 6].includes(day.getUTCDay()))
  .map((day) => day.toISOString().slice(0, 10));
const pastDocument = documentOf(pastDays);

interface RatesWorld {
  readonly s3: S3Server;
  readonly source: Loopback;
  /** The source's response from now on. */
  provide(document: string, type?: string): void;
  /** Runs the job in a container that each test starts anew. */
  runAt(now: number): ReturnType<Handler>;
  published(): EuroRates | undefined;
  /** The counts of the last run. */
  metrics(): Promise<Record<string, unknown>>;
}

/** Starts it anew for each test of a file: S3 with the rates of past days, and a source of rates. */
export function useRatesWorld(): () => RatesWorld {
  let world: RatesWorld | undefined;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: FRIDAY });
    const s3 = await startStubbedS3();
    const source = await startLoopback();
    s3.objects.set(PAST_RATES, Buffer.from(pastRatesText(pastDays.map((day) => ({ day, rates: figures })))));
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    vi.stubEnv('ECB_BASE_URL', `${source.url}/stats`);
    vi.stubEnv('NODE_ENV', 'test');
    vi.resetModules();
    withoutPace();
    world = {
      s3,
      source,
      provide: (document, type = 'text/xml') =>
        source.answer((request, response) => {
          const body = request.url?.endsWith('-hist.xml') ? pastDocument : document;
          respond(200, { 'content-type': type }, body)(request, response);
        }),
      async runAt(now) {
        vi.setSystemTime(now);
        await world?.metrics(); // of the run before
        const { handler } = await import('../../functions/marketdata/jobs/daily-rates/handler.ts');
        return handler();
      },
      published() {
        const bytes = s3.objects.get(RATES);
        return bytes && readRates(bytes.toString());
      },
      metrics: counted,
    };
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await world?.source.close();
    await world?.s3.close();
  });
  return () => {
    if (!world) throw new Error('The world exists only within a test');
    return world;
  };
}
