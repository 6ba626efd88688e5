/** A week of prices at the same times for all coins, from the store alone. */
import { ApiError } from '../../http/errors.ts';
import { ByteCache } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { Held } from '../../platform/held.ts';
import { heldObject } from '../../platform/held-object.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { atMost } from '../../platform/waiting.ts';
import { openedRegistry } from '../../registry/container.ts';
import { StoreError } from '../binary-file.ts';
import type { PastPrice } from '../candles.ts';
import { isStale, lifetimes } from '../freshness.ts';
import { closesOf } from '../past-price.ts';
import { listed, type Provenance, weakest } from '../provenance.ts';
import { OPEN_HELD_MS } from '../store/held-until.ts';
import { HISTORY_PREFIX, objectNames } from '../store/names.ts';
import { answersUntil, type Snapshot } from '../store/snapshot.ts';
import type { StoredCandle } from '../store/stored-candle.ts';
import { openWeek, type Week, type WeekLine } from '../store/week.ts';
import type { CurrentTicker } from './current-ticker.ts';
import { pricesNow } from './price-now.ts';

/** The weakest quality of some points, and the time of the newest. */
type PointsOrigin = Omit<Provenance, 'freshUntil'>;

export interface Sparkline extends PointsOrigin {
  readonly id: string;
  /** In USD, at the times of the grid, then the price now; null: not known. */
  readonly prices: (number | null)[];
}

export interface NoSparkline {
  readonly id: string;
  /** Why there is no price at all. */
  readonly error: string;
}

/** A coin's closes on the grid. */
interface Closes {
  /** In USD; null: not known. */
  readonly prices: readonly (number | null)[];
  /** Undefined if none is known. */
  readonly origin: PointsOrigin | undefined;
}

/** The time between two points of the grid. */
export const STEP_SECONDS = 4 * 3600;
/** The number of coins if a request names none. */
export const DEFAULT_COINS = 20;

const STEP_MS = STEP_SECONDS * 1000;
/** The points of seven days, before the price now. */
const STEPS = (7 * DAY_MS) / STEP_MS;
/** Concurrent reads of coins, per request. */
const COINS_AT_ONCE = 16;
/** A store that hangs delays a response by this and one read. */
const BEGIN_WITHIN_MS = 2_000;
/** The time after which the next close is known: a line without it ends too early. */
const ENDS_EARLY_MS = STEP_MS + lifetimes.history.runningMs;
const noCloses: Closes = { prices: Array.from({ length: STEPS }, () => null), origin: undefined };

/** An object of two thousand coins is 5 MB. */
const WEEK_READ_MS = 2_000;
const readWeek = heldObject({
  ...{ prefix: HISTORY_PREFIX, name: objectNames.week, open: openedWeek, readMs: WEEK_READ_MS },
  ...{ heldMs: OPEN_HELD_MS, missingMs: OPEN_HELD_MS },
});
/** Some reads of the store, one after the other. */
const READ_MS = 8_000;
/** The 29 closes of some thousand coins. */
const held = new Held<Closes>({
  readMs: READ_MS,
  rests: () => false,
  cache: new ByteCache(4 * 1024 * 1024, () => 1_000),
});

/** The times of all closes in the seven days before the snapshot; ascending, milliseconds since the epoch. */
export function gridOf({ takenAt }: Snapshot): readonly number[] {
  // The snapshot's own time has a price of its own.
  const last = (Math.ceil(takenAt / STEP_MS) - 1) * STEP_MS;
  return Array.from({ length: STEPS }, (_, index) => last - (STEPS - 1 - index) * STEP_MS);
}

/** The sparklines of coins, in their order. Never throws. */
export async function sparklinesOf(
  environment: Environment,
  ids: readonly string[],
  snapshot: Snapshot,
): Promise<(Sparkline | NoSparkline)[]> {
  const registry = openedRegistry();
  const late = AbortSignal.timeout(BEGIN_WITHIN_MS);
  const known = pricesNow(environment, ids, 'shown', snapshot);
  return atMost(COINS_AT_ONCE, ids, async (id) => {
    // A newly listed coin is in the snapshot before it is in a container's registry.
    if (registry && !snapshot.ticker(id) && !registry.getById(id))
      return { id, error: ApiError.unknownCoin(id).message };
    const isRead = environment.HISTORY_BUCKET && !late.aborted;
    const closes = isRead ? await readCloses(environment, id, snapshot) : undefined;
    const row = (await known)[ids.indexOf(id)];
    return sparklineOf(id, snapshot, row, environment.HISTORY_BUCKET ? closes : noCloses);
  });
}

/** `closes` undefined: they cannot be read. */
function sparklineOf(
  id: string,
  snapshot: Snapshot,
  row: CurrentTicker | undefined,
  closes: Closes | undefined,
): Sparkline | NoSparkline {
  const now = Date.now();
  const price = row?.ticker.quotes.USD.price ?? null;
  const { prices, origin } = closes ?? noCloses;
  const parts = [origin, price === null ? undefined : row].filter((part) => part !== undefined);
  if (parts.length === 0) return { id, error: closes ? notAtHand(id) : unreadable(id) };
  const madeAt = Math.max(...parts.map((part) => part.madeAt));
  const freshUntil = Math.min(answersUntil(snapshot), madeAt + ENDS_EARLY_MS);
  const isOld = !closes || isStale({ freshUntil }, now);
  return {
    id,
    prices: [...prices, price],
    quality: isOld ? 'stale' : weakest(parts.map(({ quality }) => quality)),
    source: listed(...parts.map(({ source }) => source)),
    madeAt,
  };
}

function notAtHand(id: string): string {
  const path = `/api/marketdata/ohlcv/${encodeURIComponent(id)}`;
  return `No history of ${id} is available; GET ${path} fetches it`;
}

function unreadable(id: string): string {
  return `The history of ${id} cannot be read now; try again soon`;
}

/** The closes. Undefined if the store fails and nothing is held. */
async function readCloses(
  environment: Environment,
  id: string,
  snapshot: Snapshot,
): Promise<Closes | undefined> {
  const grid = gridOf(snapshot);
  const last = grid.at(-1) ?? 0;
  try {
    return await held.get(`${last} ${id}`, {
      async read() {
        const known =
          (await readWeek(environment.HISTORY_BUCKET))?.closesOf(id) ?? new Map<number, PastPrice>();
        if (grid.some((time) => !known.has(time))) await addStored(environment, known, grid, id, snapshot);
        const closes = grid.map((time) => known.get(time));
        return { prices: closes.map((close) => close?.price ?? null), origin: originOf(closes) };
      },
      untilOf: (_closes, now) => now + OPEN_HELD_MS,
    });
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}

/** Closes that the week's object lacks: all of an unlisted coin, or the last hours while the roll-up is late. */
async function addStored(
  environment: Environment,
  known: Map<number, PastPrice>,
  grid: readonly number[],
  id: string,
  snapshot: Snapshot,
): Promise<void> {
  // Loaded only when needed: most coins of lists are in the week.
  const { storedHistory } = await import('../own-history.ts');
  const store = storedHistory(environment);
  if (!store) return;
  const [first = 0, last = 0] = [grid[0], grid.at(-1)];
  const hours = await store.rows(id, { base: '1h', from: first - HOUR_MS, to: last }, snapshot);
  addCloses(known, hours.candles, HOUR_MS);
  if (grid.some((time) => time % DAY_MS === 0 && !known.has(time))) {
    const to = Math.floor(last / DAY_MS) * DAY_MS;
    const days = await store.rows(id, { base: '24h', from: first - DAY_MS, to }, snapshot);
    addCloses(known, days.candles, DAY_MS);
  }
}

/** Undefined if it cannot be opened: the roll-up sets it aside. */
function openedWeek(bytes: Uint8Array): Week | undefined {
  try {
    return openWeek(bytes);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    count('HistoryUnusable');
    return undefined;
  }
}

/** The known hourly closes of the last seven days of listed coins, by id. Never throws. */
export async function hourlyWeekOf(
  environment: Environment,
  ids: readonly string[],
): Promise<Map<string, WeekLine>> {
  const week = await readWeek(environment.HISTORY_BUCKET);
  return new Map(
    ids.flatMap((id) => {
      const line = week?.lineOf(id);
      return line ? [[id, line] as const] : [];
    }),
  );
}

/** Adds the closes of candles, by the end of the interval, to those of finer candles. */
function addCloses(known: Map<number, PastPrice>, candles: readonly StoredCandle[], stepMs: number): void {
  // Without its last hour, a day's close is the price of an earlier time.
  const whole = candles.filter(({ opensAt, lastAt }) => opensAt + stepMs - lastAt <= HOUR_MS);
  for (const [index, close] of closesOf(whole, stepMs).entries()) {
    const end = (whole[index]?.opensAt ?? 0) + stepMs;
    if (!known.has(end)) known.set(end, close);
  }
}

function originOf(closes: readonly (PastPrice | undefined)[]): PointsOrigin | undefined {
  const known = closes.filter((close) => close !== undefined);
  const last = known.at(-1);
  return (
    last && {
      quality: weakest(known.map(({ quality }) => quality)),
      source: listed(...known.map(({ source }) => source)),
      madeAt: last.time,
    }
  );
}
