/** Warm requests of the deployed functions, from a snapshot behind a local S3. */
import { join } from 'node:path';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { inTurn, measureWarm, type Warm } from '../deployed/process.ts';
import { eventTo } from '../deployed/request.ts';
import { medianOf } from '../median.ts';
import { type BatchWorld, startBatchWorld } from './world.ts';

const WARM_UP_CALLS = 1_000;
const CALLS = 3_000;
const COINS = 100;
const TARGET_US = 1_000;

interface Request {
  readonly name: string;
  readonly bundle: string;
  readonly target: (tickers: BatchWorld['tickers']) => string;
  readonly pathParameters?: (tickers: BatchWorld['tickers']) => Record<string, string>;
  /** Items of a right answer; undefined of one that has no `count`. */
  readonly count?: number;
}

const listed = (texts: readonly string[]) => texts.slice(0, COINS).map(encodeURIComponent).join(',');
const first = (tickers: BatchWorld['tickers']) => ({ id: tickers[0]?.id ?? '' });

const requests: readonly Request[] = [
  {
    name: 'one ticker',
    bundle: 'marketdata-ticker',
    target: (tickers) => `/api/marketdata/ticker/${first(tickers).id}`,
    pathParameters: first,
  },
  {
    name: '100 ids',
    bundle: 'marketdata-tickers',
    target: (tickers) => `/api/marketdata/tickers?ids=${listed(tickers.map(({ id }) => id))}`,
    count: COINS,
  },
  {
    name: '100 symbols',
    bundle: 'marketdata-tickers',
    target: (tickers) => `/api/marketdata/tickers?symbols=${listed(tickers.map(({ symbol }) => symbol))}`,
    count: COINS,
  },
  {
    name: 'the first 100 by volume',
    bundle: 'marketdata-tickers',
    target: () => '/api/marketdata/tickers?sort=volume',
    count: COINS,
  },
  { name: 'the overview', bundle: 'marketdata-overview', target: () => '/api/marketdata/overview' },
];

export type BatchFigures = ReadonlyMap<Request, readonly Warm[]>;

/** Every request once a round, each in a fresh process, from a different one on each time. */
export async function measureBatch(
  dist: string,
  rounds: number,
  onRound: (round: number) => void,
): Promise<BatchFigures> {
  const figures = new Map<Request, Warm[]>(requests.map((request) => [request, []]));
  for (let round = 0; round < rounds; round += 1) {
    const world = await startBatchWorld(dist);
    for (const request of inTurn(requests, round))
      figures.get(request)?.push(await measure(request, dist, world));
    await world.close();
    onRound(round + 1);
  }
  return figures;
}

async function measure(request: Request, dist: string, { environment, tickers }: BatchWorld): Promise<Warm> {
  const { name, bundle } = request;
  const target = request.target(tickers);
  return measureWarm({
    name,
    bundle: join(dist, 'functions', bundle, 'index.mjs'),
    event: eventTo({
      method: 'GET',
      target,
      routeKey: `GET ${target.split('?')[0]}`,
      pathParameters: request.pathParameters?.(tickers) ?? {},
    }),
    environment,
    warmUpCalls: WARM_UP_CALLS,
    calls: CALLS,
    check: (answer) => check(answer, request),
  });
}

function check(answer: unknown, { name, count }: Request): void {
  const { statusCode, headers, body = '' } = answer as APIGatewayProxyStructuredResultV2; // what the function returns
  if (statusCode !== 200) throw new Error(`${name}: answered ${statusCode}: ${body}`);
  if (headers?.['x-data-quality'] !== 'exact') throw new Error(`${name}: not exact`);
  const found: unknown = JSON.parse(body).data.count;
  if (found !== count) throw new Error(`${name}: ${found} items in place of ${count}`);
  if (body.includes('"error":')) throw new Error(`${name}: an item is a miss`);
}

/** Markdown. */
export function batchReport(figures: BatchFigures, rounds: number): string {
  const medians = [...figures].map(([{ name, count }, all]) => {
    return { name, count, p50Us: medianOf(all, 'p50Us'), p99Us: medianOf(all, 'p99Us') };
  });
  const single = COINS * (medians[0]?.p50Us ?? Number.NaN);
  const rows = medians.map(
    ({ name, count, p50Us, p99Us }) =>
      `| ${name} | ${p50Us.toFixed(1)} | ${p99Us.toFixed(1)} | ${count ? (p50Us / single).toFixed(2) : ''} |`,
  );
  const batch = medians[1]?.p50Us ?? Number.NaN;
  return [
    '| warm request | p50 µs | p99 µs | ÷ 100 single ones |',
    '| --- | --: | --: | --: |',
    ...rows,
    '',
    `Medians of ${rounds} rounds, each in a fresh process: ${CALLS} timed calls after ${WARM_UP_CALLS} others, with a key, metrics, the registry, and a snapshot of 2,000 coins in S3. No provider can be reached. The ratio is to 100 times the first line, in time of the function alone.`,
    '',
    `- ${batch <= TARGET_US ? 'reached' : 'MISSED '}: 100 listed ids in ${batch.toFixed(0)} µs (at most ${TARGET_US})`,
  ].join('\n');
}
