/** Candles outside the stored history: from the coin's object, or fetched into it with at most one request a chart. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { type Candle, derive, isoSeconds, type PricePoint } from '../candles.ts';
import { lifetimes } from '../freshness.ts';
import type { ProviderClient } from '../provider.ts';
import { type PlanReach, PlanRefusal, type ProviderRequest } from '../provider.ts';
import { type CoveredSeries, SETTLED_AFTER_MS, settledPart, TIME_PARTS } from '../store/candle-rows.ts';
import { type CoinObject, type Refusal, withSeries } from '../store/coin-object.ts';
import { justBefore, type StoredCandle } from '../store/stored-candle.ts';
import { closeAfter, type Span, type Window } from '../window.ts';
import type { Errand } from './current-ticker.ts';
import { demandOf, type Fetched, type Loading, type Want } from './demand.ts';
import { refusedMs } from './refusals.ts';

export type HistoryClient = ProviderClient<'candles' | 'prices'>;
type Kind = keyof PlanReach;

export interface CandlesOptions extends Errand {
  readonly isActive: boolean | undefined;
  /** The coin's price now in USD, to compare the newest rows with; undefined if unknown. */
  readonly price: () => Promise<number | undefined>;
  /** Whether fetched candles can be the coin's, judged by a price that became known later. */
  readonly isUsable?: (series: CoveredSeries) => boolean;
  /** Whether the caller has older data. */
  readonly hasStandIn?: boolean;
  /** Whether the coin's object has the missing candles. */
  readonly isEnough: (series: CoveredSeries) => boolean;
  /** When the stored candles begin, for the text of a refusal. */
  readonly storedFrom?: () => Promise<number | undefined>;
}

/** Recent refusals of the plan, by kind and interval: how far back it reaches, and until when that is assumed. */
const refusedPlans = new WeakMap<
  HistoryClient['provider'],
  Map<string, { reachMs: number; until: number }>
>();

/** The first moment that the plan is not known to refuse; milliseconds since the epoch. */
export function reachOf(
  environment: Environment,
  { provider }: HistoryClient,
  { base, stepMs }: Pick<Span, 'base' | 'stepMs'>,
  refusals: CoinObject['refusals'] = {},
  now = Date.now(),
): (kind: Kind) => number {
  return (kind) => {
    const plan = provider.reach?.(environment)[kind][base] ?? Number.POSITIVE_INFINITY;
    const noted = refusedPlans.get(provider)?.get(`${kind} ${base}`);
    const notedReach = noted && now < noted.until ? noted.reachMs : Number.POSITIVE_INFINITY;
    const refusal = refusals[`${kind} ${base}`];
    const ofCoin = refusal && now < refusal.until ? (refusal.since ?? Number.POSITIVE_INFINITY) : -Infinity;
    return Math.ceil(Math.max(now - Math.min(plan, notedReach), ofCoin) / stepMs) * stepMs;
  };
}

/**
 * Fetches the base candles that a window lacks, or joins a running fetch. The promise fails with 400 if the plan does not reach
 * so far back, and as `ProviderClient.fetch` does.
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
  const want: Want<CoveredSeries> = {
    what: `${base} ${isLatest(client, window, now) ? 'latest' : isoSeconds(beginningOf(client, window))}`,
    find({ series: { [base]: known } }) {
      return known && options.isEnough(known) ? known : undefined;
    },
    refusalIn: ({ refusals }) => refusals[base],
    fetch: (object, beforePaying) =>
      requestCandles(environment, client, query, { ...options, object, beforePaying }),
  };
  return demandOf(environment).load(id, want, { ...options, provider: client.provider });
}

export interface CandlesQuery {
  readonly id: string;
  readonly window: Window;
}

export interface RequestOptions extends Omit<CandlesOptions, 'isEnough'> {
  /** Known facts about the coin. */
  readonly object: CoinObject;
  readonly beforePaying?: () => void;
}

/** Fetches a window's base candles: the provider's own if the plan has them, otherwise derived from its prices. */
export async function requestCandles(
  environment: Environment,
  client: HistoryClient,
  { id, window }: CandlesQuery,
  options: RequestOptions,
): Promise<Fetched<CoveredSeries>> {
  const { base } = window;
  const { isActive, isUsable = () => true } = options;
  const own = (known: CoinObject) => settled(known, window, isUsable);
  const object = own(options.object);
  const now = Date.now();
  const noted: Record<string, Refusal> = {};
  const withNoted = (fetched: Fetched<CoveredSeries>): Fetched<CoveredSeries> => {
    if (Object.keys(noted).length === 0) return fetched;
    const change = (before: CoinObject) => {
      const next = fetched.change?.(before) ?? before;
      return { ...next, refusals: { ...next.refusals, ...noted } };
    };
    return { ...fetched, change };
  };
  // Up to twice more if a refusal shows that the plan reaches less far than key and settings say.
  for (let tries = 0; ; tries += 1) {
    const reach = reachOf(environment, client, window, { ...object.refusals, ...noted }, now);
    const kind = window.from >= reach('candles') ? 'candles' : 'prices';
    if (kind === 'prices' && reach('prices') >= window.to) {
      const planned = reach('prices');
      const from = Math.min(planned, (await options.storedFrom?.()) ?? planned);
      return withNoted({ refusal: beyondPlan(from) });
    }
    const piece = pieceOf(client, window, kind, reach(kind), now);
    try {
      const more = await rowsOf(client, id, { kind, piece, window }, { ...options, object });
      const change = (before: CoinObject) => withSeries(own(before), base, more);
      return withNoted({ value: change(object).series[base] ?? more, change });
    } catch (error) {
      if (error instanceof PlanRefusal && tries < 2) {
        noted[`${kind} ${base}`] = noteRefusal(client, `${kind} ${base}`, error, { keptTo: piece.from, now });
        continue;
      }
      if (!(error instanceof ApiError) || error.statusCode !== 404) throw error;
      const until = now + refusedMs(isActive);
      noted[base] = { status: 404, message: error.message, at: now, until };
      return withNoted({ refusal: error });
    }
  }
}

/**
 * Remembers a refusal of the plan for an hour, for all coins; for this coin alone if the request kept to the limit that the
 * refusal names, because then the coin itself has no such rows.
 */
function noteRefusal(
  { provider }: HistoryClient,
  what: string,
  { message, since }: PlanRefusal,
  { keptTo, now }: { readonly keptTo: number; readonly now: number },
): Refusal {
  const until = now + lifetimes.refusalMs;
  if (since !== undefined && since <= keptTo) return { status: 402, message, at: now, until };
  const ofPlan = refusedPlans.get(provider) ?? new Map();
  refusedPlans.set(provider, ofPlan);
  ofPlan.set(what, { reachMs: since === undefined ? Number.NEGATIVE_INFINITY : now - since, until });
  return { status: 402, message, at: now, until, ...(since !== undefined && { since }) };
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
  { object, isActive, price: priceOf, client: payer, deadline, beforePaying }: RequestOptions,
): Promise<CoveredSeries> {
  const { base, stepMs } = window;
  const { provider } = client;
  const requestedAt = Date.now();
  const price = piece.closed ? undefined : await priceOf();
  const isExact = kind === 'candles' && (piece.closed || price !== undefined);
  const known = object.series[base]?.candles ?? [];
  const read = async <Row>(
    request: ProviderRequest<Row[]>,
    rowOf: (candle: StoredCandle) => Row,
    candlesOf: (rows: Row[]) => Candle[],
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

/** Removes candles that were still running when they were fetched, and those of another coin. */
function settled(
  object: CoinObject,
  { base, stepMs }: Pick<Span, 'base' | 'stepMs'>,
  isUsable: (series: CoveredSeries) => boolean,
): CoinObject {
  const { [base]: series, ...others } = object.series;
  if (!series) return object;
  if (!isUsable(series)) return { ...object, series: others };
  return { ...object, series: { ...object.series, [base]: settledPart(series, stepMs) } };
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
  { time_open, time_close: _, ...candle }: Candle,
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
  const isJustClosed = end <= knownUntil && end > knownUntil - SETTLED_AFTER_MS;
  // Rounded to the stored precision, so that all containers return the same.
  const partMs = stepMs / TIME_PARTS;
  const knownParts = Math.floor((Math.min(end, Math.max(opensAt, knownUntil)) - opensAt) / partMs);
  return {
    ...candle,
    opensAt,
    lastAt: isJustClosed ? end - justBefore(stepMs) : opensAt + knownParts * partMs,
    samples: 0,
    quality: isExact ? 'exact' : 'derived',
    source,
  };
}

function candleOf({ opensAt, lastAt, open, high, low, close, volume, market_cap }: StoredCandle): Candle {
  const times = { time_open: isoSeconds(opensAt), time_close: isoSeconds(lastAt) };
  return { ...times, open, high, low, close, volume, market_cap };
}

function pointOf({ opensAt, close, volume, market_cap }: StoredCandle): PricePoint {
  return { timestamp: isoSeconds(opensAt), price: close, volume_24h: volume, market_cap };
}

function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  const problem = "The provider's plan has no prices for this interval so far back";
  return new ApiError(400, `${problem}; allowed: ${allowed}`);
}
