/** How long it takes, after a first deployment, until the largest coins have exact charts of a year. */

import { historyStoreIn } from '../functions/marketdata/jobs/history-store.ts';
import { startDynamoDb } from '../local/dynamodb.ts';
import { createKeyedTable } from '../local/dynamodb-table.ts';
import { realLimits, startSimulated } from '../local/simulated/index.ts';
import { exchangeNames } from '../local/simulated/markets.ts';
import { openCoordination } from '../shared/coordination/coordination.ts';
import { dynamoTable } from '../shared/coordination/dynamo-table.ts';
import { guardedTable } from '../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../shared/coordination/table.ts';
import { ApiError } from '../shared/http/errors.ts';
import { history } from '../shared/marketdata/history.ts';
import { errorCodec } from '../shared/marketdata/kept-answers.ts';
import type { MarketDataProvider, Offer, Offering } from '../shared/marketdata/provider.ts';
import type { ProviderClient } from '../shared/marketdata/provider-client.ts';
import { openSnapshot } from '../shared/marketdata/snapshot/snapshot.ts';
import { historyIn } from '../shared/marketdata/store/reader.ts';
import { StoredHistory } from '../shared/marketdata/store/stored-history.ts';
import { windowOf } from '../shared/marketdata/window.ts';
import { type Environment, parseEnvironment } from '../shared/platform/environment.ts';
import { MINUTE_MS } from '../shared/platform/time.ts';
import { createTransport, type Transport, type TransportOptions } from '../shared/platform/transport.ts';
import { createClient } from '../shared/providers/client.ts';
import { coinpaprika } from '../shared/providers/coinpaprika.ts';
import { exchanges } from '../shared/providers/sources.ts';
import { conditions } from './conditions.ts';
import { ExchangeJobs } from './fleet/exchange-jobs.ts';
import { memoryBucket } from './fleet/memory-bucket.ts';
import { PublishedSnapshots } from './fleet/published-snapshots.ts';
import { installVirtualClock } from './fleet/virtual-clock.ts';

/** When the first snapshot is due; the middle of a day, and of an hour. */
const START = Date.UTC(2026, 10, 18, 12, 30);
const LATENCY_MS = 120;
const DAYS = 365;
const AT_MOST_MINUTES = 180;
const TARGET_MINUTES = 60;

const dynamo = await startDynamoDb();
const clock = installVirtualClock(START - MINUTE_MS);
const sources = await startSimulated({ now: clock.now, limits: realLimits });
const table = await sharedTable();
const environment = parseEnvironment(sources.environment);
const calls: Record<string, number> = {};

const bucket = memoryBucket(() => clock.sleep(20));
const store = historyStoreIn(bucket);
const jobs = new ExchangeJobs({
  clock,
  clients: {
    markets: [...exchanges.values()].map((one) => clientOf<'markets' | 'quotes'>(one)),
    candles: [...exchanges.values()].map((one) => clientOf<'marketCandles'>(one)),
  },
  history: store,
  isActive: () => true,
});
const snapshots = new PublishedSnapshots({
  clock,
  client: clientOf<'tickers' | 'ticker'>(coinpaprika),
  isStoreDown: () => false,
  history: store,
  quotes: () => jobs.quotes(),
});
const end = START + AT_MOST_MINUTES * MINUTE_MS;
snapshots.start(START, end, START);
jobs.start(snapshots, { from: START, end, sparseUntil: START });

/** The coins that markets of these exchanges trade, as the exchanges know. */
const coins = new Set(
  exchangeNames.flatMap((name) =>
    sources[name].markets.flatMap(({ coinId, state }) =>
      coinId !== null && state === 'open' ? [coinId] : [],
    ),
  ),
);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${conditions('npm run bench sources')}\n`);
print('| minutes after the first snapshot was due | coins with a market | with an exact chart of a year |');
print('| ---: | ---: | ---: |');
let known = -1;
let done: number | undefined;
for (let minutes = 1; minutes < AT_MOST_MINUTES && done === undefined; minutes += 1) {
  await clock.run(START + minutes * MINUTE_MS);
  const exact = await exactCharts();
  if (exact !== known) print(`| ${minutes} | ${jobs.mapped.size} | ${exact} of ${coins.size} |`);
  known = exact;
  if (exact === coins.size) done = minutes;
}
print('\n| target | to reach | measured | reached |\n| --- | --- | --- | --- |');
const isReached = done !== undefined && done <= TARGET_MINUTES ? 'yes' : '**no**';
print(
  `| minutes until all ${coins.size} have an exact chart of a year | ≤ ${TARGET_MINUTES} | ${done ?? `${known} after ${AT_MOST_MINUTES}`} | ${isReached} |`,
);
print(
  `\nRequests: ${Object.entries(calls)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}.`,
);
process.exit(0);

async function exactCharts(): Promise<number> {
  const object = await virtually(snapshots.published());
  const snapshot = object && openSnapshot(object.bytes);
  const now = clock.now();
  const window = windowOf({ interval: '24h', limit: DAYS }, now);
  const upstream = async () => {
    throw new ApiError(502, 'nobody is asked');
  };
  let exact = 0;
  for (const id of coins) {
    const own = { store: new StoredHistory({ reader: historyIn(bucket.objects) }), snapshot };
    const options = { deadline: now + MINUTE_MS, staleWaitMs: 0, own };
    try {
      const chart = await virtually(history(upstream, { id, quote: 'usd', window }, options));
      exact += chart.quality === 'exact' && chart.candles.length === DAYS ? 1 : 0;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return exact;
}

/** Lets virtual time pass until something is there. */
async function virtually<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) await clock.run(clock.now() + 1);
  return settled;
}

/** A function's own client, which keeps to the pace of all. */
function clientOf<O extends Offer>(of: Offering<O>): ProviderClient<O> {
  return createClient(
    of,
    { ...environment },
    {
      coordinate,
      connect,
      maxBodyBytes: 32 * 1024 * 1024,
      timeoutMs: 15_000,
      purpose: 'scheduled',
    },
  );
  function connect(options: TransportOptions): Transport {
    const real = createTransport(options);
    return {
      async get(path, timeoutMs) {
        calls[of.name] = (calls[of.name] ?? 0) + 1;
        await clock.sleep(LATENCY_MS);
        return clock.during(real.get(path, timeoutMs));
      },
    };
  }
}

function coordinate(of: Environment, asked: MarketDataProvider) {
  return Promise.resolve(
    openCoordination(
      of,
      asked,
      errorCodec,
      guardedTable(async () => table),
    ),
  );
}

/** Real calls stop the virtual clock. */
async function sharedTable(): Promise<SharedTable> {
  const id = 'sources-bench';
  await createKeyedTable(dynamo, id);
  const real = dynamoTable(id, {
    endpoint: dynamo.url,
    region: dynamo.environment.AWS_REGION,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  const paced = async <T>(run: () => Promise<T>) => {
    await clock.sleep(5);
    return clock.during(run());
  };
  return {
    get: (key) => paced(() => real.get(key)),
    update: (key, change) => paced(() => real.update(key, change)),
  };
}
