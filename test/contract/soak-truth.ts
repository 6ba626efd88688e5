/** What must be true of each answer of a soak, whatever the provider did meanwhile. */

import { createMarket, defaultCoins, priceAt, rangeBetween } from '../../local/simulated/market.ts';
import type { Candle } from '../../shared/marketdata/candles.ts';
import { lifetimes } from '../../shared/marketdata/freshness.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import { closeAfter, intervals, windowOf } from '../../shared/marketdata/window.ts';
import type { Answer } from './service.ts';
import type { Asked, Chart } from './soak-load.ts';

/** The simulated provider's seed, unless told. */
const market = createMarket(defaultCoins, 1);
/** The provider makes new figures once a minute. */
const PROVIDER_MINUTE_S = 60;
const lastMinute = (ms: number) => Math.floor(ms / 60_000) * 60_000;
const ROUNDING = 1e-9;

/** When an answer was asked for and when it was there, in milliseconds since the epoch. */
export interface Exchange {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** The settings that say how old an answer may be. */
export interface Limits {
  /** Nothing that is told is older. */
  readonly startedAt: number;
  readonly tickerSeconds: number;
  /** For so long an answer may be on its way, in which it grows older. */
  readonly upstreamSeconds: number;
}

/** All that is wrong with a 200; nothing if it is true. */
export function untruthsOf(exchange: Exchange, limits: Limits): string[] {
  const { asked, answer } = exchange;
  if (!market.asset(asked.id)) return ['data of a coin that there is not'];
  const { data } = answer.body as { data: unknown }; // an envelope, and of the route's schema: the gateway checks it
  const told = provenanceOf(answer);
  const untruths = asked.chart
    ? chartUntruths(exchange, asked.chart, data as { coinId: string; data: Candle[] }, told, limits)
    : tickerUntruths(exchange, data as Ticker, told, limits);
  return [
    ...said(answer.headers['x-data-source'] !== 'simulated', 'another source'),
    ...said(told.quality === 'stale' && told.maxAge !== 0, 'stale and to be cached'),
    ...untruths,
  ];
}

interface Provenance {
  readonly quality: string | undefined;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Seconds. */
  readonly maxAge: number;
}

export function provenanceOf({ headers }: Answer): Provenance {
  const maxAge = /^public, max-age=(\d+),/.exec(headers['cache-control'] ?? '')?.[1];
  return {
    quality: headers['x-data-quality'],
    madeAt: Date.parse(headers['x-data-time'] ?? ''),
    maxAge: Number(maxAge),
  };
}

function tickerUntruths(
  { asked, sentAt, answeredAt }: Exchange,
  { id, last_updated, quotes }: Ticker,
  { quality, madeAt: toldAt, maxAge }: Provenance,
  { startedAt, tickerSeconds, upstreamSeconds }: Limits,
): string[] {
  const asset = market.asset(id);
  const madeAt = Date.parse(last_updated ?? '');
  const price = quotes.USD.price ?? Number.NaN;
  const age = Math.floor((sentAt - madeAt) / 1000);
  const oldest = PROVIDER_MINUTE_S + tickerSeconds + upstreamSeconds;
  return [
    ...said(id !== asked.id, `the ticker of ${id}`),
    ...said(!(madeAt >= lastMinute(startedAt) && madeAt <= answeredAt), `of ${last_updated}`),
    ...said(!asset || !isNear(price, priceAt(asset, madeAt)), `a price of ${price}`),
    ...said(quality !== 'exact' && quality !== 'stale', `quality ${quality}`),
    ...said(toldAt !== madeAt, `made at ${toldAt}`),
    ...said(!(maxAge <= tickerSeconds), `fresh for ${maxAge} s`),
    ...said(quality === 'exact' && age + maxAge > oldest, `${age} s old and not marked`),
  ];
}

function chartUntruths(
  { asked, sentAt, answeredAt }: Exchange,
  chart: Chart,
  { coinId, data }: { readonly coinId: string; readonly data: readonly Candle[] },
  { quality, madeAt, maxAge }: Provenance,
  { startedAt, upstreamSeconds }: Limits,
): string[] {
  const [before, after] = [windowOf(chart, sentAt), windowOf(chart, answeredAt)];
  const opened = data.map(({ time_open }) => Date.parse(time_open));
  const { base } = intervals[chart.interval];
  const age = Math.floor((sentAt - madeAt) / 1000);
  const oldest = (sentAt - startedAt) / 1000 + PROVIDER_MINUTE_S;
  // An empty history is asked for again after a while, whether its interval has closed or not.
  const freshUntil = data.length > 0 ? closeAfter(answeredAt, base) : answeredAt + lifetimes.history.emptyMs;
  return [
    ...said(coinId !== asked.id, `candles of ${coinId}`),
    ...said(data.length > chart.limit, `${data.length} candles`),
    ...said(
      opened.some((time, index) => index > 0 && !(time > (opened[index - 1] ?? 0))),
      'candles out of order',
    ),
    ...said(
      opened.some((time) => !(time >= before.from && time < after.to && time <= answeredAt)),
      'a candle outside of the window',
    ),
    ...data.flatMap((one) => candleUntruths(asked.id, chart, one, answeredAt)),
    ...said(quality !== 'exact' && quality !== 'derived' && quality !== 'stale', `quality ${quality}`),
    ...said(!(madeAt <= answeredAt && age <= oldest), `an age of ${age} s`),
    ...said(!(maxAge * 1000 <= freshUntil - sentAt), `fresh for ${maxAge} s`),
    ...said(
      quality !== 'stale' &&
        age + maxAge > lifetimes.history.runningMs / 1000 + PROVIDER_MINUTE_S + upstreamSeconds,
      `${age} s old and not marked`,
    ),
  ];
}

/** Derived candles know less of an interval than its own: they lie within those. */
function candleUntruths(
  id: string,
  { interval, quote }: Chart,
  { time_open, open, high, low, close }: Candle,
  now: number,
): string[] {
  const openedAt = Date.parse(time_open);
  const range = rangeOf(id, quote, openedAt, stepOf(interval), lastMinute(now));
  const isPossible = low > 0 && high >= Math.max(open, close) && low <= Math.min(open, close);
  const isTrue =
    range && high <= range.high * (1 + ROUNDING) && low >= range.low * (1 - ROUNDING) && isPossible;
  return said(!isTrue, `a candle of ${time_open}: ${[open, high, low, close].join(', ')}`);
}

function stepOf(interval: Chart['interval']): number {
  const { base, size } = intervals[interval];
  return (base === '1h' ? 3_600_000 : 86_400_000) * size;
}

const ranges = new Map<string, Pick<Candle, 'high' | 'low'> | undefined>();

/** Between which prices the market moved in an interval, as far as that has come. */
function rangeOf(id: string, quote: Chart['quote'], openedAt: number, stepMs: number, lastMs: number) {
  const key = [id, quote, openedAt, stepMs, Math.min(lastMs, openedAt + stepMs)].join();
  const known = ranges.get(key);
  if (known) return known;
  const asset = market.asset(id);
  const unit = quote === 'btc' ? market.bitcoin : undefined;
  const range =
    asset && rangeBetween(asset, openedAt, Math.min(openedAt + stepMs, Math.max(lastMs, openedAt)), unit);
  ranges.set(key, range);
  return range;
}

function isNear(value: number, expected: number): boolean {
  return Math.abs(value / expected - 1) < ROUNDING;
}

function said(isWrong: boolean, what: string): string[] {
  return isWrong ? [what] : [];
}
