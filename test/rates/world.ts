import { afterEach, beforeEach, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import {
  type PastTable,
  pastRatesName,
  pastRatesText,
  rateGroups,
  readPastRates,
} from '../../shared/marketdata/past-rates.ts';
import { type EuroRates, readRates } from '../../shared/marketdata/rates.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { type Loopback, respond, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { documentOf, figures, others, rowsOf } from './document.ts';

/** The evening of a Friday. */
export const FRIDAY = Date.UTC(2026, 10, 20, 18);
export const BUCKET = 'bucket';
export const RATES = `/${BUCKET}/snapshot/rates.v1`;
export const pastPath = (group: string) => `/${BUCKET}/snapshot/${pastRatesName(group)}`;
export const pastPaths = [...rateGroups.keys()].map(pastPath);
/** The currencies of the other source. */
export const blended = { ...figures, ...others };

type Handler = typeof import('../../functions/marketdata/jobs/daily-rates/handler.ts')['handler'];

/** The working days of a year before that Friday, the newest first, as in the real file. */
export const pastDays = Array.from({ length: 365 }, (_, index) => new Date(FRIDAY - (index + 1) * DAY_MS))
  .filter((day) => ![0, 6].includes(day.getUTCDay()))
  .map((day) => day.toISOString().slice(0, 10));
const pastDocument = documentOf(pastDays);
/** What is stored when both sources were asked for their past. */
const pastObjects = new Map([...rateGroups].map(([group, members]) => [pastPath(group), pastOf(members)]));

function pastOf(members: readonly string[]): Buffer {
  const codes = [...new Set(['USD', ...members])];
  const of = (rates: Readonly<Record<string, string>>) =>
    Object.fromEntries(codes.flatMap((code) => (rates[code] ? [[code, rates[code]]] : [])));
  const days = pastDays.flatMap((day) => [
    { day, source: 'ecb', rates: of(figures) },
    { day, source: 'frankfurter', rates: of(others) },
  ]);
  const columns = codes.filter((code) => code in blended).map((code) => `${code}@frankfurter`);
  return Buffer.from(pastRatesText(days, columns));
}

interface RatesWorld {
  readonly s3: S3Server;
  /** The source of reference rates. */
  readonly source: Loopback;
  /** The source of all other rates. */
  readonly blend: Loopback;
  /** The reference rates from now on. */
  provide(document: string, type?: string): void;
  /**
   * The latest rows of the other source from now on; by default those of the last working day, the same every day. Its past rates
   * are the same too.
   */
  provideBlend(rows: unknown): void;
  /** Runs the job in a container that each test starts anew. */
  runAt(now: number): ReturnType<Handler>;
  published(): EuroRates | undefined;
  past(group: string): PastTable | undefined;
  /** The counts of the last run. */
  metrics(): Promise<Record<string, unknown>>;
}

function lastWorkingDay(): string {
  const day = new Date();
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/** The other source's response to a request for past rates; undefined to another request. */
export function pastRowsFor(url = '') {
  const { searchParams: query } = new URL(url, 'http://blend.test');
  const from = query.get('from');
  if (from === null) return undefined;
  const codes = query.get('quotes')?.split(',') ?? Object.keys(blended);
  const rates = Object.fromEntries(Object.entries(blended).filter(([code]) => codes.includes(code)));
  return pastDays
    .filter((day) => day >= from)
    .flatMap((day) => rowsOf(day, rates).filter(({ quote }) => quote !== 'EUR'));
}

/** Starts it anew for each test of a file: S3 with the rates of past days, and two sources of rates. */
export function useRatesWorld(): () => RatesWorld {
  let world: RatesWorld | undefined;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: FRIDAY });
    const s3 = await startStubbedS3();
    const [source, blend] = await Promise.all([startLoopback(), startLoopback()]);
    for (const [path, bytes] of pastObjects) s3.objects.set(path, bytes);
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    vi.stubEnv('ECB_BASE_URL', `${source.url}/stats`);
    vi.stubEnv('FRANKFURTER_BASE_URL', `${blend.url}/v2`);
    vi.stubEnv('NODE_ENV', 'test');
    vi.resetModules();
    withoutPace();
    world = {
      s3,
      source,
      blend,
      provide: (document, type = 'text/xml') =>
        source.answer((request, response) => {
          const body = request.url?.endsWith('-hist.xml') ? pastDocument : document;
          respond(200, { 'content-type': type }, body)(request, response);
        }),
      provideBlend: (rows) =>
        blend.answer((request, response) => respondJson(pastRowsFor(request.url) ?? rows)(request, response)),
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
      past(group) {
        const bytes = s3.objects.get(pastPath(group));
        return bytes && readPastRates(bytes.toString());
      },
      metrics: counted,
    };
    blend.answer((request, response) =>
      respondJson(pastRowsFor(request.url) ?? rowsOf(lastWorkingDay(), blended))(request, response),
    );
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await world?.source.close();
    await world?.blend.close();
    await world?.s3.close();
  });
  return () => {
    if (!world) throw new Error('The world exists only within a test');
    return world;
  };
}
