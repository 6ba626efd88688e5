/** Candles outside the stored history: fetched for the coin with at most one request a chart. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { DAY_MS, isoSeconds } from '../../platform/time.ts';
import { type Candle, derive, type PricePoint, type SourceCandle } from '../candles.ts';
import type { HistoryClient } from '../provider.ts';
import { PlanRefusal, type ProviderRequest } from '../provider.ts';
import { type CoveredSeries, TIME_PARTS } from '../store/candle-rows.ts';
import { changeCandlesSoon, changeFetchedSoon, withCandles } from '../store/coin-changes.ts';
import type { CoinCandles, CoinFetched, Refusal } from '../store/coin-object.ts';
import { coinCandlesOf, coinFetchedOf } from '../store/coin-objects.ts';
import { SETTLED_AFTER_MS, type StoredCandle } from '../store/stored-candle.ts';
import { closeAfter, type Span, type Window } from '../window.ts';
import type { Errand } from './current-ticker.ts';
import { demandOf, type Loading, type Want } from './demand.ts';
import { beyondPlan, type Kind, noteRefusal, reachOf } from './plan-reach.ts';
import { refusedMs, throwIfRefused } from './refusals.ts';

interface Known extends Errand {
  readonly isActive: boolean | undefined;
  /** The coin's price now in USD, to compare the newest rows with; undefined if unknown. */
  readonly price: () => Promise<number | undefined>;
}

export interface CandlesOptions extends Known {
  /** Whether fetched candles can be the coin's, judged by a price that became known later. */
  readonly isTrusted?: (fetched: CoveredSeries) => Promise<boolean>;
  /** Whether the caller has older data. */
  readonly hasStandIn?: boolean;
  /** Whether the missing candles are among those that were fetched for the coin. */
  readonly isEnough: (fetched: CoveredSeries) => boolean;
}

/**
 * Fetches the base candles that a window lacks, or joins a running fetch; resolves to all candles that were fetched for the coin.
 * The promise fails with 400 if the plan does not reach so far back, and as `ProviderClient.fetch` does.
 */
export function fetchCandles(
  environment: Environment,
  client: HistoryClient,
  query: CandlesQuery,
  options: CandlesOptions,
): Loading<CoveredSeries> {
  const { id, window } = query;
  const { base } = window;
  const now = Date.now();
  const candles = coinCandlesOf(environment);
  const others = coinFetchedOf(environment);
  const refusalsOf = async (reading: Promise<CoinFetched>) =>
    (await reading.catch(() => others.peek(id))).refusals;
  const trusted = async (series: CoveredSeries | undefined) =>
    series && (await options.isTrusted?.(series)) !== false ? series : undefined;
  const want: Want<CoveredSeries> = {
    what: `${base} ${isLatest(client, window, now) ? 'latest' : isoSeconds(beginningOf(client, window))}`,
    async find() {
      const stored = await candles.readNow(id).catch(() => candles.peek(id));
      const known = await trusted(stored.series(base));
      if (known && options.isEnough(known)) return known;
      throwIfRefused((await refusalsOf(others.readNow(id)))[base]);
      return undefined;
    },
    async fetch(beforePaying) {
      const refusals = await refusalsOf(others.read(id));
      throwIfRefused(refusals[base]);
      const known = await trusted(candles.peek(id).series(base));
      const own = { [base]: known };
      const more = await requestCandles(environment, client, query, {
        ...options,
        ...{ known, refusals, beforePaying },
        noteRefusals: (noted) =>
          changeFetchedSoon(others, id, (before) => ({
            ...before,
            refusals: { ...before.refusals, ...noted },
          })),
      });
      const added = { [base]: more };
      const withAdded = (before: CoinCandles) => withCandles(before, added, now);
      await changeCandlesSoon(candles, id, (before) => withAdded(known ? before : { ...before, ...own }));
      return withAdded(own)[base] ?? more;
    },
  };
  return demandOf(environment).load(id, want, { ...options, provider: client.provider });
}

export interface CandlesQuery {
  readonly id: string;
  readonly window: Window;
}

export interface RequestOptions extends Known {
  /** Candles that were fetched for the coin before, to compare with. */
  readonly known?: CoveredSeries | undefined;
  /** Its stored refusals. */
  readonly refusals?: CoinFetched['refusals'];
  /** Stores the refusals that it meets. */
  readonly noteRefusals?: (noted: CoinFetched['refusals']) => Promise<void>;
  readonly beforePaying?: () => void;
}

/**
 * Fetches a window's base candles: the provider's own if the plan has them, otherwise derived from its prices. Throws as
 * `fetchCandles` does.
 */
export async function requestCandles(
  environment: Environment,
  client: HistoryClient,
  { id, window }: CandlesQuery,
  options: RequestOptions,
): Promise<CoveredSeries> {
  const { base } = window;
  const { isActive, known, refusals = {}, noteRefusals = async () => {} } = options;
  const now = Date.now();
  const noted: Record<string, Refusal> = {};
  try {
    // Up to twice more if a refusal shows that the plan reaches less far than key and settings say.
    for (let tries = 0; ; tries += 1) {
      const reach = reachOf(environment, client, window, { ...refusals, ...noted }, now);
      const kind = window.from >= reach('candles') ? 'candles' : 'prices';
      if (kind === 'prices' && reach('prices') >= window.to)
        throw beyondPlan(Math.min(reach('prices'), known?.candles[0]?.opensAt ?? Number.POSITIVE_INFINITY));
      const piece = pieceOf(client, window, kind, reach(kind), now);
      try {
        return await rowsOf(client, id, { kind, piece, window }, options);
      } catch (error) {
        if (error instanceof PlanRefusal && tries < 2) {
          noted[`${kind} ${base}`] = noteRefusal(client, `${kind} ${base}`, error, {
            keptTo: piece.from,
            now,
          });
          continue;
        }
        if (error instanceof ApiError && error.statusCode === 404)
          noted[base] = { status: 404, message: error.message, at: now, until: now + refusedMs(isActive) };
        throw error;
      }
    }
  } finally {
    if (Object.keys(noted).length > 0) await noteRefusals(noted);
  }
}

interface Piece {
  readonly kind: Kind;
  readonly piece: Span;
  readonly window: Window;
}

async function rowsOf(
  client: HistoryClient,
  id: string,
  { kind, piece, window }: Piece,
  { known: before, isActive, price: priceOf, client: payer, deadline, beforePaying }: RequestOptions,
): Promise<CoveredSeries> {
  const { stepMs } = window;
  const { provider } = client;
  const requestedAt = Date.now();
  const price = piece.closed ? undefined : await priceOf();
  const isExact = kind === 'candles' && (piece.closed || price !== undefined);
  // Those that were still running may have changed for good reason.
  const known = before?.candles.filter(({ isSettled }) => isSettled) ?? [];
  const read = async <Row>(
    request: ProviderRequest<Row[]>,
    rowOf: (candle: StoredCandle) => Row,
    candlesOf: (rows: Row[]) => SourceCandle[],
  ): Promise<CoveredSeries> => {
    const ofRows = new Map(known.map((candle) => [rowOf(candle), candle] as const));
    const held = { data: [...ofRows.keys()], source: provider.name, madeAt: requestedAt };
    const { data, source, madeAt } = await client.fetch(request, deadline, {
      ...{ isActive, price, client: payer, beforePaying },
      held: known.length > 0 ? held : undefined,
    });
    const knownUntil = Math.min(madeAt, requestedAt);
    // A known candle that replaces an impossible one keeps its own quality.
    const stored: ReadonlyMap<unknown, StoredCandle> = ofRows;
    const candles = candlesOf(data).map(
      (candle) => stored.get(candle) ?? storedCandle(candle, { stepMs, source, knownUntil, isExact }),
    );
    return { candles, coverage: { from: piece.from, to: piece.closed ? piece.to : knownUntil } };
  };
  const query = { id, quote: 'usd', window: piece } as const;
  if (kind === 'candles') return read(provider.candles(query), candleOf, (rows) => rows);
  return read(provider.prices(query, piece.from), pointOf, (points) =>
    derive(points, { ...window, ...piece }),
  );
}

/** Whether a window lies within the latest rows that one request returns. */
function isLatest({ provider }: HistoryClient, { base, stepMs, from }: Span, now: number): boolean {
  const { candles, prices } = provider.limits.latest;
  return from >= closeAfter(now, base) - Math.min(candles, prices) * stepMs;
}

/**
 * Where the rows of an old window begin: at fixed times, half a request's length apart, so that neighbouring windows share a
 * request; at the window's own start if the request would not cover it otherwise.
 */
function beginningOf({ provider }: HistoryClient, { from, to, stepMs }: Span): number {
  const rows = provider.limits.rows.candles;
  const halfMs = Math.floor(rows / 2) * stepMs;
  const aligned = Math.floor(from / halfMs) * halfMs;
  return to <= aligned + rows * stepMs ? aligned : from;
}

/** The rows that one request returns: the latest ones, or those that begin at or before the window. */
function pieceOf(client: HistoryClient, window: Window, kind: Kind, reach: number, now: number): Span {
  const { base, stepMs } = window;
  const { rows, latest } = client.provider.limits;
  const end = closeAfter(now, base);
  const isOfNow = isLatest(client, window, now);
  const first = isOfNow ? end - latest[kind] * stepMs : beginningOf(client, window);
  // The window's first candle opens with the price before it.
  const from = Math.max(kind === 'prices' && first === window.from ? first - stepMs : first, reach);
  const to = Math.min(end, from + Math.max(rows[kind], latest[kind]) * stepMs);
  return { base, stepMs, from, to, closed: to < end };
}

function storedCandle(
  { time_open, time_close: _, volume_24h = null, ...candle }: SourceCandle,
  {
    stepMs,
    source,
    knownUntil,
    isExact,
  }: {
    readonly stepMs: number;
    readonly source: string;
    readonly knownUntil: number;
    readonly isExact: boolean;
  },
): StoredCandle {
  const opensAt = Date.parse(time_open);
  const end = opensAt + stepMs;
  // Rounded to the stored precision, so that all containers return the same.
  const partMs = stepMs / TIME_PARTS;
  const knownParts = Math.floor((Math.min(end, Math.max(opensAt, knownUntil)) - opensAt) / partMs);
  return {
    ...candle,
    volume_24h: volume_24h ?? (stepMs === DAY_MS ? candle.volume : null),
    opensAt,
    lastAt: opensAt + knownParts * partMs,
    isSettled: end + SETTLED_AFTER_MS <= knownUntil,
    samples: 0,
    quality: isExact ? 'exact' : 'derived',
    source,
  };
}

function candleOf({ opensAt, lastAt, open, high, low, close, volume, market_cap }: StoredCandle): Candle {
  const times = { time_open: isoSeconds(opensAt), time_close: isoSeconds(lastAt) };
  return { ...times, open, high, low, close, volume, market_cap };
}

function pointOf({ opensAt, close, volume_24h, market_cap }: StoredCandle): PricePoint {
  return { timestamp: isoSeconds(opensAt), price: close, volume_24h, market_cap };
}
