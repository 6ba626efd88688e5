/** Warm requests of the deployed functions, from a snapshot behind a local S3. */
import { fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { toEvent } from '../../local/event.ts';
import { medianOf } from '../median.ts';
import { type BatchWorld, KEY, startBatchWorld } from './world.ts';

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

interface Warm {
  readonly p50Us: number;
  readonly p99Us: number;
}

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
    const turn = round % requests.length;
    for (const request of [...requests.slice(turn), ...requests.slice(0, turn)])
      figures.get(request)?.push(await measure(request, dist, world));
    await world.close();
    onRound(round + 1);
  }
  return figures;
}

async function measure(request: Request, dist: string, { environment, tickers }: BatchWorld): Promise<Warm> {
  const target = request.target(tickers);
  const asked = {
    method: 'GET',
    target,
    httpVersion: '1.1',
    headers: { host: ['abcdefghij.execute-api.us-east-1.amazonaws.com'], 'x-api-key': [KEY] },
    body: Buffer.alloc(0),
    sourceIp: '10.1.0.1',
    port: 443,
    now: Date.now(),
  };
  const event = toEvent(asked, `GET ${target.split('?')[0]}`, request.pathParameters?.(tickers) ?? {});
  const job = {
    bundle: pathToFileURL(join(dist, 'functions', request.bundle, 'index.mjs')).href,
    event: JSON.stringify(event),
    warmUpCalls: WARM_UP_CALLS,
    calls: CALLS,
  };
  const child = fork(join(import.meta.dirname, '../functions/measure.mjs'), [JSON.stringify(job)], {
    env: { ...environment },
    execArgv: [],
    // Metrics go down a pipe that somebody reads, as on Lambda.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const messages = on(child, 'message', { close: ['exit'] });
  check((await messages.next()).value?.[0], request);
  const figures = (await messages.next()).value?.[0];
  if (!figures) throw new Error(`No figures of ${request.name}`);
  return figures as Warm; // as measure.mjs sends them
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
