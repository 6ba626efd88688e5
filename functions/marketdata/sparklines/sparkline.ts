import { ApiError } from '../../../shared/http/errors.ts';
import { listed } from '../../../shared/marketdata/candles.ts';
import { lifetimes } from '../../../shared/marketdata/freshness.ts';
import { storedHistory } from '../../../shared/marketdata/own-history.ts';
import { published } from '../../../shared/marketdata/serve/current.ts';
import { answersUntil, type Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import type { StoredHistory } from '../../../shared/marketdata/store/stored-history.ts';
import { atMost } from '../../../shared/platform/at-most.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { count } from '../../../shared/platform/metrics.ts';
import { openedRegistry } from '../../../shared/registry/container.ts';
import { type Closes, heldCloses } from './closes.ts';
import { STEP_MS } from './grid.ts';
import { STEPS } from './limits.ts';
import { type LineQuality, weakestOf } from './quality.ts';

/** A coin's closes on the grid, and its price now. */
export interface Sparkline {
  readonly id: string;
  readonly prices: readonly (number | null)[];
  /** The weakest of all points. */
  readonly quality: LineQuality;
  readonly source: string;
  /** Of the newest point; milliseconds since the epoch. */
  readonly madeAt: number;
}

export interface Miss {
  readonly id: string;
  readonly error: string;
}

/** Coins that are read at the same time, of one request. */
const COINS_AT_ONCE = 16;
/** A store that hangs costs no more than this and one read. */
const BEGIN_WITHIN_MS = 2_000;
/** By then there is one more close: a line without it ends too early. */
const ENDS_EARLY_MS = STEP_MS + lifetimes.history.runningMs;
const nothing: Closes = { prices: Array.from({ length: STEPS }, () => null), told: undefined };

/** The sparklines of coins, in their order, out of the store alone. Never throws. */
export async function sparklinesOf(
  environment: Environment,
  ids: readonly string[],
  snapshot: Snapshot,
): Promise<(Sparkline | Miss)[]> {
  const registry = openedRegistry();
  const store = storedHistory(environment);
  const late = AbortSignal.timeout(BEGIN_WITHIN_MS);
  return atMost(COINS_AT_ONCE, ids, async (id) => {
    // A newly listed coin is in the snapshot before it is in a container's registry.
    if (registry && !snapshot.ticker(id) && !registry.getById(id))
      return { id, error: ApiError.unknownCoin(id).message };
    return sparklineOf(id, snapshot, store ? await closesWithin(store, id, snapshot, late) : nothing);
  });
}

/** Undefined if they cannot be read. */
async function closesWithin(
  store: StoredHistory,
  id: string,
  snapshot: Snapshot,
  late: AbortSignal,
): Promise<Closes | undefined> {
  if (late.aborted) return undefined;
  try {
    return await heldCloses(store, id, snapshot);
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}

function sparklineOf(id: string, snapshot: Snapshot, closes: Closes | undefined): Sparkline | Miss {
  const now = Date.now();
  const row = published(snapshot, id, now);
  const price = row?.ticker.quotes.USD.price ?? null;
  const last = price === null ? undefined : row;
  const { prices, told } = closes ?? nothing;
  const points = [told, last].filter((point) => point !== undefined);
  if (points.length === 0) return { id, error: errorOf(id, closes) };
  const madeAt = Math.max(...points.map((point) => point.madeAt));
  const isStale = !closes || now >= answersUntil(snapshot) || now - madeAt >= ENDS_EARLY_MS;
  return {
    id,
    prices: [...prices, price],
    quality: isStale ? 'stale' : weakestOf(points.map(({ quality }) => quality)),
    source: listed(...points.map(({ source }) => source)),
    madeAt,
  };
}

function errorOf(id: string, closes: Closes | undefined): string {
  if (!closes) return `The history of ${id} cannot be read now; try again soon`;
  const path = `/api/marketdata/ohlcv/${encodeURIComponent(id)}`;
  return `No history of ${id} is at hand; GET ${path} asks for it`;
}
