/** Warm charts of the deployed function, from our own history behind a local S3. */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { inTurn, measureWarm, startProcess, type Warm } from '../deployed/process.ts';
import { eventTo } from '../deployed/request.ts';
import { medianOf } from '../median.ts';
import { type ChartWorld, COINS, startChartWorld } from './chart-world.ts';

const WARM_UP_CALLS = 5_000;
const CALLS = 10_000;
const TARGET_US = 60;

const charts = [
  { name: '30 daily candles', query: 'limit=30', count: 30, targetUs: TARGET_US },
  { name: '365 daily candles', query: 'limit=365', count: 365, targetUs: undefined },
  { name: '24 hourly candles', query: 'interval=1h&limit=24', count: 24, targetUs: undefined },
] as const;
type Chart = (typeof charts)[number];

export interface ChartFigures {
  /** Of each round, by chart. */
  readonly warm: ReadonlyMap<Chart, readonly Warm[]>;
  /** What S3 is asked for the first chart of a coin in a warm container. */
  readonly firstDaily: readonly string[];
  readonly firstHourly: readonly string[];
}

interface Options {
  readonly bundle: string;
  /** What `npm run build` has made. */
  readonly dist: string;
  readonly rounds: number;
  readonly onRound: (round: number) => void;
}

/** Every chart once a round, each in a fresh process, from a different one on each time. */
export async function measureCharts({ bundle, dist, rounds, onRound }: Options): Promise<ChartFigures> {
  const warm = new Map<Chart, Warm[]>(charts.map((chart) => [chart, []]));
  for (let round = 0; round < rounds; round += 1) {
    const world = await startChartWorld(dist);
    for (const chart of inTurn(charts, round)) warm.get(chart)?.push(await measure(chart, bundle, world));
    await world.close();
    onRound(round + 1);
  }
  return { warm, ...(await firstCharts(bundle, dist)) };
}

async function measure(chart: Chart, bundle: string, { environment }: ChartWorld): Promise<Warm> {
  return measureWarm({
    name: chart.name,
    bundle,
    event: eventOf(COINS[1], chart.query),
    environment,
    warmUpCalls: WARM_UP_CALLS,
    calls: CALLS,
    check: (answer) => check(answer, chart.count),
  });
}

/** In a container that has answered both kinds of chart for another coin. */
async function firstCharts(
  bundle: string,
  dist: string,
): Promise<Pick<ChartFigures, 'firstDaily' | 'firstHourly'>> {
  const [daily, , hourly] = charts;
  const world = await startChartWorld(dist);
  const child = startProcess('cold/container.mjs', pathToFileURL(bundle).href, world.environment);
  try {
    await once(child, 'message');
    const readsOf = async (coin: string, chart: Chart) => {
      const before = world.requests.length;
      child.send(eventOf(coin, chart.query));
      const [{ answer }] = await once(child, 'message');
      check(answer, chart.count);
      return world.requests.slice(before);
    };
    for (const chart of [daily, hourly]) await readsOf(COINS[0], chart);
    return { firstDaily: await readsOf(COINS[1], daily), firstHourly: await readsOf(COINS[2], hourly) };
  } finally {
    child.kill();
    await world.close();
  }
}

function eventOf(coin: string, query: string): APIGatewayProxyEventV2 {
  return eventTo({
    method: 'GET',
    target: `/api/marketdata/ohlcv/${coin}?${query}`,
    routeKey: 'GET /api/marketdata/ohlcv/{id}',
    pathParameters: { id: coin },
  });
}

function check(answer: unknown, count: number): void {
  const { statusCode, headers, body = '' } = answer as APIGatewayProxyStructuredResultV2; // what the function returns
  if (statusCode !== 200) throw new Error(`Answered ${statusCode}: ${body}`);
  if (headers?.['x-data-quality'] === 'stale') throw new Error('Answered a stale one');
  const found: unknown = JSON.parse(body).data.count;
  if (found !== count) throw new Error(`${found} candles in place of ${count}`);
}

/** Markdown. */
export function chartsReport({ warm, firstDaily, firstHourly }: ChartFigures, rounds: number): string {
  const rows = [...warm].map(([{ name, targetUs }, all]) => {
    const p50Us = medianOf(all, 'p50Us');
    const isReached =
      targetUs === undefined ? '' : `${p50Us <= targetUs ? 'reached' : 'MISSED'} (${targetUs})`;
    return `| ${name} | ${p50Us.toFixed(1)} | ${medianOf(all, 'p99Us').toFixed(1)} | ${isReached} |`;
  });
  const reads = (requests: readonly string[]) =>
    `${requests.length} (${requests.map((one) => `\`${one.split('/').slice(2).join('/')}\``).join(', ')})`;
  return [
    '| warm chart | p50 µs | p99 µs | target for p50 |',
    '| --- | --: | --: | --- |',
    ...rows,
    '',
    `Medians of ${rounds} rounds, each in a fresh process: ${CALLS} timed calls after ${WARM_UP_CALLS} others, with a key, metrics, 365 days, this month’s and today’s hours and a snapshot in S3. No provider can be reached.`,
    '',
    `- The first 24h chart of a coin in a warm container reads S3 ${reads(firstDaily)}.`,
    `- The first 1h chart of a coin: ${reads(firstHourly)}.`,
  ].join('\n');
}
