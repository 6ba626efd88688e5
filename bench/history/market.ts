/**
 * A simulated market for which nothing has to be kept: run and coin are numbers, and the same ones always give the same
 * figures. So samples can be stored run by run, and looked at once more coin by coin.
 */
import type { Sample } from '../../shared/marketdata/store/sample-file.ts';
import { DAY_MS } from '../../shared/platform/time.ts';

export const INTERVAL_MS = 600_000;
export const RUNS_A_DAY = DAY_MS / INTERVAL_MS;
/** Who tells of the coins in the provider's list, and who prices the others, without volumes and market caps. */
export const sources = { listed: 'simulated', others: 'tokens' } as const;
/** A run in so many is missing, and one has a second one in its slot. */
const [MISSING_RUN, SECOND_RUN] = [200, 50];
/** A coin in so many is missing from a run; volume or market cap are not known of one in so many. */
const [MISSING_COIN, UNKNOWN] = [500, 97];
/** A day in so many has hours without any run, one has none at all. */
const [OUTAGE, SILENT_DAY] = [13, 61];
/** The second of two runs comes so much later. */
const SECOND_MS = 100_000;

export interface Run {
  /** When the provider made it, milliseconds since the epoch: anywhere in the first two thirds of its slot. */
  readonly takenAt: number;
  readonly isMissing: boolean;
  /** When a second one in the same slot was made, which has to be refused; undefined: there is none. */
  readonly secondAt: number | undefined;
}

/** The run of the slot that begins then, in milliseconds since the epoch. */
export function runAt(slotFrom: number): Run {
  const slot = slotFrom / INTERVAL_MS;
  const chance = mixed(slot);
  const takenAt = slotFrom + (chance % 400_000);
  const hasSecond = mixed(chance) % SECOND_RUN === 0;
  return {
    takenAt,
    isMissing: chance % MISSING_RUN === 0 || isOutage(slot),
    secondAt: hasSecond ? takenAt + SECOND_MS : undefined,
  };
}

function isOutage(slot: number): boolean {
  const day = mixed(Math.floor(slot / RUNS_A_DAY) + 0x5bd1e995);
  const hour = Math.floor((slot % RUNS_A_DAY) / 6);
  const from = (day >>> 8) % 24;
  const isInHours = day % OUTAGE === 0 && hour >= from && hour < from + 1 + ((day >>> 16) % 6);
  return isInHours || day % SILENT_DAY === 1;
}

export function coinId(coin: number): string {
  return `c${coin}-coin-${coin}`;
}

/** A coin's way from its first run on. One step is one run, whether that is missing or not. */
export class Walk {
  price: number;
  isListed = true;
  #state: number;
  #hasVolume = true;
  #hasMarketCap = true;
  readonly #hasAmounts: boolean;

  constructor(coin: number, { hasAmounts }: { readonly hasAmounts: boolean }) {
    this.#hasAmounts = hasAmounts;
    this.#state = mixed(coin + 1) || 1;
    this.price = 10 ** ((coin % 11) - 6);
  }

  next(): void {
    // Marsaglia, "Xorshift RNGs", 2003.
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    const [step, chance] = [(state & 0xffff) / 0xffff - 0.5, state >>> 16];
    this.price *= 1 + step / 50;
    this.isListed = chance % MISSING_COIN !== 0;
    this.#hasVolume = chance % UNKNOWN !== 1;
    this.#hasMarketCap = chance % UNKNOWN !== 2;
  }

  get volume(): number | null {
    return this.#hasAmounts && this.#hasVolume ? this.price * 1e4 : null;
  }

  get marketCap(): number | null {
    return this.#hasAmounts && this.#hasMarketCap ? this.price * 1e6 : null;
  }
}

/** Coins of one run, from one to another; the second is not among them. */
export class Market {
  readonly #coins: readonly { readonly id: string; readonly walk: Walk }[];

  constructor(first: number, end: number, about: { readonly hasAmounts: boolean }) {
    const coins = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
    this.#coins = coins.map((coin) => ({ id: coinId(coin), walk: new Walk(coin, about) }));
  }

  next(): void {
    for (const { walk } of this.#coins) walk.next();
  }

  samples(): Sample[] {
    return this.#coins
      .filter(({ walk }) => walk.isListed)
      .map(({ id, walk: { price, volume, marketCap } }) => ({ id, price, volume, market_cap: marketCap }));
  }
}

/** 32 bits that look like chance (Appleby, MurmurHash3, its finalizer). */
function mixed(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
