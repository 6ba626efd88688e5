import { ApiError } from '../../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { HistoryClient } from '../../../../shared/marketdata/serve/fetch-candles.ts';
import type { CandleTable } from '../../../../shared/marketdata/store/candle-files.ts';
import { objectNames, tokenSourceOf } from '../../../../shared/marketdata/store/names.ts';
import { historyReader } from '../../../../shared/marketdata/store/reader.ts';
import type { Samples } from '../../../../shared/marketdata/store/samples.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { recordValue } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import { clientFor } from '../../../../shared/providers/index.ts';
import type { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import { bucketIn } from '../bucket-in.ts';
import { type HistoryStore, historyStore } from '../history-store.ts';
import { registryIn } from '../opened.ts';
import { backfill, type Filled } from './backfill.ts';
import { latestFrom } from './latest.ts';

/** Of the function's 120 s, so that the last note is written. */
const TIME_MS = 100_000;
const READ_TIMEOUT_MS = 10_000;

/** This container's, which remembers what the budget and the plan have refused. */
let client: HistoryClient | undefined;
let tickerClient: ProviderClient<'ticker'> | undefined;

/** Stores the past of coins as far as the budget goes. Throws if the store fails: the next run goes on. */
export const handler = scheduled(() => fill(environment()));

async function fill(settings: Environment): Promise<Filled> {
  const startedAt = Date.now();
  const bucket = bucketIn(settings, 'HISTORY_BUCKET');
  client ??= clientFor(settings, 'leftover', 'candles', 'prices');
  const store = historyStore(bucket);
  // Without it there are the sampled coins.
  const registry = registryIn(settings.REGISTRY_PATH);
  const [{ own, served }, traded] = await Promise.all([
    newestSamples(store, startedAt),
    tradedCoins(bucket, startedAt),
  ]);
  const sampled = (id: string) => [...own, ...served].map((samples) => priceIn(samples, id)).find(Boolean);
  const isIn = (id: string) => (samples: Samples) => samples.of(id) !== undefined;
  const filled = await backfill({
    store,
    fetchLatest: latestFrom(
      settings,
      client,
      (id) => registry?.isActive(id),
      async (id) => sampled(id) ?? (await tickersPrice(settings, id)),
    ),
    coins: coinsOf(registry, own),
    isSampled: (id) => [...own, ...served].some(isIn(id)),
    isServed: (id) => served.some(isIn(id)) || traded.some((day) => day.rangeOf(id) !== undefined),
    deadline: startedAt + TIME_MS,
  });
  if (registry) recordValue('HistoryCoinsLeft', filled.left);
  return filled;
}

function priceIn(samples: Samples, id: string): number | undefined {
  return samples.of(id)?.price;
}

/** A request more for each coin of which there are no samples: without its price nobody knows whose past it is. */
async function tickersPrice(settings: Environment, id: string): Promise<number | undefined> {
  tickerClient ??= clientFor(settings, 'leftover', 'ticker');
  try {
    const request = tickerClient.provider.ticker(id);
    const { data } = await tickerClient.fetch(request, Date.now() + READ_TIMEOUT_MS);
    return data.quotes.USD.price ?? undefined;
  } catch (error) {
    if (error instanceof ApiError && (error.statusCode === 404 || error instanceof UnusableAnswer))
      return undefined;
    throw error;
  }
}

interface Newest {
  /** Those of the snapshot's job: one, or none if none are of late. */
  readonly own: readonly Samples[];
  /** Those of sources of token prices, which have the past of these coins as well. */
  readonly served: readonly Samples[];
}

/** Which coins have samples is told by the last ones. */
async function newestSamples(store: HistoryStore, now: number): Promise<Newest> {
  const names = [...(await store.samplesOf(now - DAY_MS)), ...(await store.samplesOf(now))];
  const last = new Map(names.map((name) => [tokenSourceOf(name), name]));
  const all = [...last].map(async ([source, name]) => ({ source, samples: await store.samples(name) }));
  const read = await Promise.all(all);
  const which = (isOfSource: boolean) =>
    read.flatMap(({ source, samples }) =>
      (source !== undefined) === isOfSource && samples ? [samples] : [],
    );
  return { own: which(false), served: which(true) };
}

/** Which coins exchanges trade is told by the hours that they told of today and, as a day begins, of the one before. */
async function tradedCoins(bucket: string, now: number): Promise<CandleTable[]> {
  const reader = historyReader(bucket);
  const read = async (day: number) => {
    try {
      return await reader.table(objectNames.exact(day), AbortSignal.timeout(READ_TIMEOUT_MS));
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  };
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const days = await Promise.all([read(today), read(today - DAY_MS)]);
  return days.filter((day) => day !== undefined);
}

/** The active coins by rank, and those that are newer than the registry. */
function coinsOf(registry: RegistryLookups | undefined, samples: readonly Samples[]): string[] {
  const active = Array.from({ length: registry?.activeCount ?? 0 }, (_, row) => registry?.id(row) ?? '');
  const sampled = samples.flatMap((run) => Array.from(run.all(), ({ id }) => id));
  return [...new Set([...active, ...sampled])];
}
