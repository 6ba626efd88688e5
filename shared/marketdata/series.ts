/** What is asked for and kept of a coin's history: whole runs of rows, whatever part of them a caller wants to see. */
import { isFresh } from './answer.ts';
import { isoSeconds } from './candles.ts';
import { lifetimes } from './lifetimes.ts';
import type { ProviderRequest } from './provider.ts';
import type { Kept, KeptRequest } from './provider-client.ts';
import { closeAfter, MAX_BASE_CANDLES, type Span } from './window.ts';

/** A run of base intervals that is asked for at once and kept under one key. */
export interface Piece extends Span {
  /** `latest`, or when it begins. */
  readonly name: string;
}

export interface Series<Row> {
  /** There are rows from here on, as far as the provider has any; milliseconds since the epoch. */
  readonly from: number;
  /** They were asked for then. A container may stand still between that and the request, even past midnight. */
  readonly askedAt: number;
  readonly rows: readonly Row[];
  /** Whether the newest row was held against the coin's price; else nobody knew one, and the rows may be another coin's. */
  readonly isConfirmed?: boolean;
}

/** Up to when kept rows say what there is to say. */
export function knownUntil({ madeAt, data }: Pick<Kept<Series<unknown>>, 'madeAt' | 'data'>): number {
  return Math.min(madeAt, data.askedAt);
}

interface Limits {
  /** One request gives so many rows at most. */
  readonly rows: number;
  /** The latest ones, which every plan gives. */
  readonly latest: number;
}

/** The longest window, and the price before it: longer halves would save no request. */
const LONGEST_HALF = MAX_BASE_CANDLES + 1;

/**
 * The pieces that cover a window: the latest intervals up to now, which answer all but long-ago windows, and for those
 * pieces that begin at fixed times, each half a length after the one before, so that a window of half a length needs
 * only one.
 */
export function piecesOf(window: Span, limits: Limits, now: number): Piece[] {
  const { base, stepMs } = window;
  const halfMs = Math.min(Math.floor(limits.rows / 2), LONGEST_HALF) * stepMs;
  const to = closeAfter(now, base);
  const latest = { base, stepMs, from: to - limits.latest * stepMs, to, closed: false, name: 'latest' };
  const pieces: Piece[] = [];
  let covered = window.from;
  while (covered < Math.min(window.to, latest.from)) {
    const from = Math.floor(covered / halfMs) * halfMs;
    covered = Math.min(from + 2 * halfMs, to);
    pieces.push({ base, stepMs, from, to: covered, closed: covered < to, name: isoSeconds(from) });
  }
  return covered < window.to ? [...pieces, latest] : pieces;
}

/** When the running base interval opened. */
export function runningFrom(now: number, { base, stepMs }: Span): number {
  return closeAfter(now, base) - stepMs;
}

/** The provider may still be adding up a candle for so long after it has closed. */
const SETTLED_AFTER_MS = 10 * 60_000;

/** True if all of the window was closed for good by then. */
export function isSettled(window: Span, known: number): boolean {
  return window.to <= known - SETTLED_AFTER_MS;
}

/**
 * Whether kept rows say all that there is to say of a window: they are fresh, or closed for good, or a newer price than
 * theirs is at hand for the running candle. `priceAt` is when that was made.
 */
export function isEnough(
  kept: Kept<Series<unknown>>,
  window: Span,
  priceAt: number | undefined,
  now: number,
): boolean {
  const { madeAt, data } = kept;
  const known = knownUntil(kept);
  if (data.from > window.from || now >= kept.staleUntil) return false;
  if (isFresh(kept) || isSettled(window, known)) return true;
  const isOfRunning = known >= runningFrom(now, window) && data.rows.length > 0;
  return (
    isOfRunning && priceAt !== undefined && priceAt >= madeAt && now - priceAt < lifetimes.history.runningMs
  );
}

/** The request for a piece, kept as a series. */
export function seriesRequest<Row>(
  { read, check, ...request }: ProviderRequest<Row[]>,
  { base, closed, from }: Piece,
  now: number,
  others: Pick<KeptRequest<Series<Row>>, 'isEnough' | 'isUsable' | 'isActive' | 'price'>,
): KeptRequest<Series<Row>> {
  const { runningMs, emptyMs, staleForMs } = lifetimes.history;
  return {
    ...others,
    path: request.path,
    ...(request.coinId !== undefined && { coinId: request.coinId }),
    ...(request.asked !== undefined && { asked: request.asked }),
    read: (json) => ({ from, askedAt: now, rows: read(json) }),
    check: (series, { held, ...expected }) => {
      const heldRows = held && { ...held, data: [...held.data.rows] };
      if (!check) return series;
      const rows = check([...series.rows], { ...expected, held: heldRows });
      return { ...series, rows, isConfirmed: expected.price !== undefined };
    },
    wasGiven: (held) => held.from <= from,
    freshUntil: (_askedAt, { rows }) => {
      if (rows.length === 0) return now + emptyMs;
      return closed ? now + staleForMs : Math.min(closeAfter(now, base), now + runningMs);
    },
    staleForMs,
  };
}
