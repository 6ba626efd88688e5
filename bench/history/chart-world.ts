import { startS3Server } from '../../local/s3.ts';
import { encodeSnapshot } from '../../shared/marketdata/snapshot/encode.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/snapshot/store.ts';
import { encodeHours } from '../../shared/marketdata/store/hours-file.ts';
import { HISTORY_PREFIX, monthText, objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSeries } from '../../shared/marketdata/store/series-file.ts';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { BUCKET, withoutProvider } from '../deployed/environment.ts';
import { inventedCandles } from '../invented-candles.ts';

/** The first is the one whose series a container takes at init. */
export const COINS = ['btc-bitcoin', 'eth-ethereum', 'usdt-tether'] as const;
const SOURCE = 'coinpaprika';
const [DAYS, PRICE, INTERVAL_SECONDS] = [365, 100, 600];
/** Of the last days, so that a window of a day lies in them also on the first of a month. */
const DAYS_OF_HOURS = 32;

export interface ChartWorld {
  readonly environment: Readonly<Record<string, string>>;
  /** `<method> <path>` of all that S3 was asked. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** S3 with a year of three coins, and no provider: nothing listens there. */
export async function startChartWorld(dist: string): Promise<ChartWorld> {
  const s3 = await startS3Server();
  const now = Date.now();
  const put = (name: string, bytes: Uint8Array) => s3.objects.set(`/${BUCKET}/${name}`, Buffer.from(bytes));
  for (const [name, bytes] of historyObjects(now)) put(HISTORY_PREFIX + name, bytes);
  put(SNAPSHOT_PREFIX + SNAPSHOT_NAME, snapshotAt(now - 1000));
  return {
    environment: { ...withoutProvider(dist, s3.url), HISTORY_BUCKET: BUCKET },
    requests: s3.requests,
    close: s3.close,
  };
}

function candlesOf(from: number, to: number, stepMs: number) {
  return inventedCandles({
    from,
    count: Math.round((to - from) / stepMs),
    stepMs,
    price: PRICE,
    source: SOURCE,
  });
}

function historyObjects(now: number): Map<string, Uint8Array> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const objects = new Map<string, Uint8Array>();
  const first = today - DAYS * DAY_MS;
  const asked = { from: first, to: today };
  const past = candlesOf(today - DAYS_OF_HOURS * DAY_MS, today, HOUR_MS);
  const months = new Set(past.map(({ opensAt }) => monthText(opensAt)));
  for (const id of COINS) {
    const days = candlesOf(first, today, DAY_MS);
    objects.set(objectNames.daily(id), encodeSeries({ id, stepMs: DAY_MS, candles: days, asked }));
    for (const month of months) {
      const candles = past.filter(({ opensAt }) => monthText(opensAt) === month);
      const series = { id, stepMs: HOUR_MS, candles, asked: undefined };
      objects.set(objectNames.hourly(id, candles[0]?.opensAt ?? 0), encodeSeries(series));
    }
  }
  const hours = candlesOf(today, hour, HOUR_MS);
  const coins = new Map(hours.length > 0 ? COINS.map((id) => [id, hours] as const) : []);
  const about = { day: today, intervalSeconds: INTERVAL_SECONDS, source: SOURCE };
  objects.set(objectNames.hours(today), encodeHours({ ...about, coins }));
  return objects;
}

/** Its rows carry the running hour and the one before. */
function snapshotAt(takenAt: number): Uint8Array {
  const hour = Math.floor(takenAt / HOUR_MS) * HOUR_MS;
  const [before, running] = candlesOf(hour - HOUR_MS, hour + HOUR_MS, HOUR_MS);
  const own = before && running ? [before, { ...running, lastAt: takenAt }] : [];
  const quotes = { USD: { price: PRICE } };
  const last_updated = new Date(takenAt).toISOString();
  return encodeSnapshot({
    tickers: COINS.map((id) => readTicker({ id, name: id, symbol: 'X', last_updated, quotes })),
    hours: new Map(COINS.map((id) => [id, own])),
    takenAt,
    intervalSeconds: INTERVAL_SECONDS,
    source: SOURCE,
  });
}
