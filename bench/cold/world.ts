/** The services that deployed functions call, with data as the jobs leave it after some time. */
import { join } from 'node:path';
import { routes } from '../../functions/routes.ts';
import { startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { startS3Server } from '../../local/s3.ts';
import { encodeCandles } from '../../shared/marketdata/store/candle-files-writer.ts';
import { bases } from '../../shared/marketdata/store/coin-object.ts';
import {
  dayText,
  objectNames,
  periodsIn,
  seriesName,
  shardOf,
  steps,
} from '../../shared/marketdata/store/names.ts';
import { QUOTES_NAME } from '../../shared/marketdata/store/quotes.ts';
import { joinSeries } from '../../shared/marketdata/store/series-writer.ts';
import { SourceList } from '../../shared/marketdata/store/source-list.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { encodeWeek, WEEK_HOURS } from '../../shared/marketdata/store/week.ts';
import type { BaseInterval, Span } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { type Deployment, KEY, NAME } from '../deployed.ts';
import { simulate } from '../fleet/simulation.ts';
import { startSources } from '../fleet/sources.ts';
import { answerOf, type Contestant } from './containers.ts';
import { eventOf } from './events.ts';
import { farAway, makeCertificate } from './far-server.ts';

export interface World {
  readonly contestants: readonly Contestant[];
  close(): Promise<void>;
}

/** The latency of S3 or DynamoDB within a region, as the targets assume. */
export const DELAY_MS = 15;
/** At this time the largest coins have a past, unlisted ones a price, and today has hours. */
export const JOBS_MS = 45 * 60_000;
/** The measured coin is not one that functions may have preloaded. */
const MEASURED = 'eth-ethereum';
const MOST_WANTED = 'btc-bitcoin';
/** The snapshot's own list ends before them. */
const LISTED = 2_000;
const CANDIDATES = 10;
const YEAR_DAYS = 366;

const sampled = (opensAt: number, stepMs: number): StoredCandle => ({
  ...{ opensAt, open: 1, high: 1, low: 1, close: 1, volume: null, market_cap: null, volume_24h: null },
  ...{ quality: 'sampled', samples: stepMs / 600_000, lastAt: opensAt + stepMs, isSettled: true },
  source: 'simulated',
});

export async function startWorld(folder: string, deployment: Deployment): Promise<World> {
  const { bundles, registry, coins, functions } = deployment;
  const { objects } = await simulate({
    ...{ ...deployment, days: [0], dayMs: JOBS_MS, start: Date.now() - JOBS_MS },
    onFault: (text) => void process.stderr.write(`${text}\n`),
  });
  const certificate = await makeCertificate(folder);
  const sources = await startSources(coins, Date.now);
  const [near, dynamoDb] = await Promise.all([startS3Server(), startDynamoDb()]);
  for (const [path, content] of objects) near.objects.set(path, content);
  const s3 = await farAway(near.url, DELAY_MS, certificate);
  const table = await farAway(dynamoDb.url, DELAY_MS, certificate);
  await createKeyedTable(dynamoDb, NAME);
  const common = {
    ...dynamoDb.environment,
    ...sources.environment,
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_ENDPOINT_URL_S3: s3.url,
    NODE_EXTRA_CA_CERTS: certificate.file,
    CLIENT_API_KEY: KEY,
  };
  const marketData = routes.filter(({ name }) => name.startsWith('marketdata/'));

  function contestant(name: string, parameters?: Readonly<Record<string, unknown>>): Contestant {
    const route = marketData.find((one) => one.name === `marketdata/${name}`);
    if (!route) throw new Error(`No route ${name}`);
    return { name, ...functionOf(route.name), event: eventOf(route, parameters) };
  }

  function functionOf(name: string): Omit<Contestant, 'name' | 'event'> {
    const fn = functions.find((one) => one.name === name);
    if (!fn) throw new Error(`No function ${name}`);
    const { environment: own, hasRegistry, memoryMb } = fn;
    const environment = { ...own, ...common, ...(hasRegistry && { REGISTRY_PATH: registry }) };
    return { memoryMb, folder: join(bundles, fn.folder), environment };
  }

  function coinGecko(name: string, path: string, example: object, warmCalls: number): Contestant {
    const route = { method: 'GET', path: `/coingecko/api/v3/${path}`, example, hasBody: false } as const;
    return { name, ...functionOf('coingecko/api'), event: eventOf(route), warmCalls };
  }

  const largest = coins
    .filter(({ is_active, rank }) => is_active && rank > 0)
    .sort((a, b) => a.rank - b.rank);

  /** The state after eight days: they are merged into the shards, and the week has all of its hours. */
  function rollUp(): Contestant {
    const put = (name: string, content: Buffer) => near.objects.set(`/${NAME}/history/${name}`, content);
    putShards(put);
    put(objectNames.rolledUp, Buffer.from(JSON.stringify({ through: dayText(Date.now() - 2 * DAY_MS) })));
    const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const hours = Array.from({ length: WEEK_HOURS }, (_, hour) => end - hour * HOUR_MS);
    const given = { price: 1, quality: 'sampled', source: 'simulated' } as const;
    const closes = new Map(hours.map((time) => [time, { ...given, time }]));
    put(
      objectNames.week,
      encodeWeek(
        end,
        largest.slice(0, LISTED).map(({ id }) => [id, closes]),
      ),
    );
    const event = {} as Contestant['event']; // the job does not read a schedule's event
    return { name: 'roll-up', ...functionOf('marketdata/roll-up'), event };
  }

  /** The shards of the listed coins, with the eight days before today; of the measured coin the days of a year. */
  function putShards(put: (name: string, content: Buffer) => void): void {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const week = today - 8 * DAY_MS;
    const listed = largest.slice(0, LISTED).map(({ id }) => id);
    for (const base of bases) {
      const first = base === '24h' ? today - YEAR_DAYS * DAY_MS : week;
      for (const { from, to } of periodsIn(base, { from: first, to: today })) {
        const ids = Map.groupBy(to > week ? listed : [MEASURED], shardOf);
        for (const [shard, own] of ids)
          put(seriesName(base, from, shard), shardOfDays(base, own, { from, to }));
      }
    }
  }

  function shardOfDays(
    base: BaseInterval,
    ids: readonly string[],
    { from, to }: Pick<Span, 'from' | 'to'>,
  ): Buffer {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const stepMs = steps[base];
    const sources = new SourceList();
    const rows = ids.map((id) => {
      const since = id === MEASURED ? from : Math.max(from, today - 8 * DAY_MS);
      const candles = Array.from({ length: (Math.min(to, today) - since) / stepMs }, (_, index) =>
        sampled(since + index * stepMs, stepMs),
      );
      return [id, joinSeries(undefined, { candles, coverage: undefined }, { stepMs, sources })] as const;
    });
    const about = { time: today, intervalSeconds: 0, source: '', sources: sources.names };
    return encodeCandles(about, rows);
  }

  /** A coin beyond the snapshot that is served although the provider is unreachable. */
  async function coinOfTail(): Promise<string> {
    const others = coins.filter(({ is_active }) => is_active).sort((a, b) => a.rank - b.rank);
    for (const { id } of others.slice(LISTED, LISTED + CANDIDATES)) {
      const ticker = contestant('ticker', { id });
      const environment = { ...ticker.environment, COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9' };
      const { statusCode } = await answerOf({ ...ticker, environment });
      if (statusCode === 200) return id;
    }
    throw new Error('No coin beyond the snapshot has a price');
  }

  await answerOf(rollUp());
  // As if their job had just run.
  const quotes = `/${NAME}/snapshot/${QUOTES_NAME}`;
  const json = JSON.parse(String(near.objects.get(quotes)));
  near.objects.set(quotes, Buffer.from(JSON.stringify({ ...json, takenAt: Date.now() })));
  const names = marketData.map(({ name }) => name.replace('marketdata/', ''));
  // Another container has responded before.
  for (const id of [MEASURED, MOST_WANTED])
    for (const name of names) await answerOf(contestant(name, { id }));
  const ids = largest.slice(20, 120).map(({ id }) => id);
  const year = { id: MEASURED, limit: YEAR_DAYS };
  const page = { vs_currency: 'usd', per_page: 250 };
  return {
    contestants: [
      ...names.map((name) => contestant(name, { id: MEASURED })),
      { ...contestant('ticker', { id: await coinOfTail() }), name: 'ticker of the tail' },
      { ...contestant('ohlcv', year), name: 'a year of candles', warmCalls: 2_000 },
      {
        ...contestant('ohlcv', { ...year, currency: 'uah' }),
        name: 'the same in hryvnias',
        warmCalls: 2_000,
      },
      { ...contestant('sparklines', { ids, limit: undefined }), name: 'sparklines of 100 others' },
      coinGecko('CoinGecko’s price of 100', 'simple/price', { ids, vs_currencies: 'usd' }, 4_000),
      coinGecko('CoinGecko’s page of 250', 'coins/markets', page, 2_000),
      coinGecko('the same with sparklines', 'coins/markets', { ...page, sparkline: true }, 400),
    ],
    async close() {
      s3.close();
      table.close();
      await Promise.all([near.close(), dynamoDb.close(), sources.close()]);
    },
  };
}
