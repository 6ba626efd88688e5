/** Bars as the library requests them: a number of bars before a time, and where to continue if there are none. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { invalidParameter } from '../../shared/http/middleware/input.ts';
import type { FoldedCandle } from '../../shared/marketdata/candles.ts';
import { setSourceHeaders } from '../../shared/marketdata/provenance.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import { MAX_BASE_CANDLES, type Window, windowOf } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { historyDemand } from '../../shared/providers/demand.ts';
import { answeringRegistry } from '../../shared/registry/container.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { coinNamed, required } from './symbols.ts';

const hour = { interval: '1h', stepMs: HOUR_MS } as const;
const day = { interval: '24h', stepMs: DAY_MS } as const;
const resolutions = new Map<string, typeof hour | typeof day>([
  ['60', hour],
  ['1D', day],
  ['D', day],
]);
/** Seconds up to the year 2286. */
const WHOLE_NUMBER = /^\d{1,10}$/;

export async function history(request: AdapterRequest) {
  const { query, environment, headers } = request;
  const window = windowIn(query, Date.now());
  // The registry sets headers of its own; this response needs others.
  const coin = coinNamed(required(query, 'symbol'), await answeringRegistry({}, environment));
  const found = await chartIn(request, coin, window);
  if (found && found.candles.length > 0) {
    const { candles, quality, ...from } = found;
    setSourceHeaders(headers, from, quality);
    return barsOf(candles);
  }
  headers['cache-control'] = publicFor(0);
  const nextTime = await lastBarBefore(request, coin, window);
  return { s: 'no_data', ...(nextTime !== undefined && { nextTime }) };
}

/** `countback` bars before `to`, otherwise those from `from` on; the last ones if they do not fit in a response. */
function windowIn(query: URLSearchParams, now: number): Window {
  const resolution = required(query, 'resolution');
  const known = resolutions.get(resolution);
  if (!known) throw invalidParameter('resolution', resolution, '60, 1D');
  const { interval, stepMs } = known;
  const to = numberIn(query, 'to') * 1000;
  const bars = query.has('countback')
    ? numberIn(query, 'countback')
    : Math.ceil(to / stepMs) - Math.floor((numberIn(query, 'from') * 1000) / stepMs);
  const limit = Math.min(MAX_BASE_CANDLES, Math.max(1, bars));
  return windowOf({ interval, limit, end: new Date(to).toISOString() }, now);
}

function numberIn(query: URLSearchParams, name: string): number {
  const text = required(query, name);
  if (!WHOLE_NUMBER.test(text)) throw invalidParameter(name, text, 'a whole number');
  return Number(text);
}

/**
 * Undefined where no source has history, or the provider's plan does not reach so far: the coin's history begins later, which
 * is not an error.
 */
async function chartIn(
  request: AdapterRequest,
  coin: RegistryEntry,
  window: Window,
): Promise<Chart | undefined> {
  try {
    return await chart(request.environment, { id: coin.id, window }, historyDemand(request, coin));
  } catch (error) {
    if (error instanceof ApiError && [400, 404].includes(error.statusCode)) return undefined;
    throw error;
  }
}

/** Uses only stored data: this request has already made its fetch. */
async function lastBarBefore(
  { environment, deadline }: AdapterRequest,
  coin: RegistryEntry,
  window: Window,
): Promise<number | undefined> {
  const { from: to, stepMs } = window;
  const earlier = { ...window, from: to - MAX_BASE_CANDLES * stepMs, to, closed: true };
  const { candles } = await chart(environment, { id: coin.id, window: earlier }, { coin, deadline });
  const last = candles.at(-1);
  return last && beginOf(last);
}

function barsOf(candles: readonly FoldedCandle[]) {
  const volumes = candles.map(({ volume }) => volume);
  return {
    s: 'ok',
    t: candles.map(beginOf),
    o: candles.map(({ open }) => open),
    h: candles.map(({ high }) => high),
    l: candles.map(({ low }) => low),
    c: candles.map(({ close }) => close),
    ...(!volumes.includes(null) && { v: volumes }),
  };
}

/** In seconds. */
function beginOf({ time_open }: FoldedCandle): number {
  return Date.parse(time_open) / 1000;
}
