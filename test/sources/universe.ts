/** Random worlds of coins and markets, with what the provider states and the coin that each market trades. */
import fc from 'fast-check';
import type { Coin } from '../../functions/marketdata/jobs/markets/coins.ts';
import type { Fetched } from '../../functions/marketdata/jobs/markets/exchange.ts';
import type { Run } from '../../functions/marketdata/jobs/markets/state.ts';
import { listingOf } from '../../shared/marketdata/sources/listings.ts';
import type { ListedMarket, Market, MarketQuote } from '../../shared/marketdata/sources/market.ts';

export const EXCHANGES = ['coinbase', 'kraken', 'binance'] as const;
const QUOTES = ['USD', 'USDC', 'USDT'] as const;
export const SNAPSHOTS = 16;
/** From here on no ticker and no list is missing. */
const CALM_FROM = 6;
/** From here on tickers may lie: everybody had time to find the right coin. */
const LIES_FROM = 12;
const RUN_MS = 600_000;
export const START = Date.UTC(2026, 10, 22);

interface Asset {
  readonly price: number;
  /** False: the provider has no ticker of what the exchanges trade. */
  readonly isListed: boolean;
  /** What the provider states: its coin, also by another symbol; another coin; both; or nothing. */
  readonly stated: 'right' | 'renamed' | 'wrong' | 'both' | 'nothing';
  /** The price of the other coin, as a part of the market’s: never within 5 %, which would be believed. */
  readonly factor: number;
  /** The snapshots at which its ticker cannot be used, or is far off. */
  readonly gaps: readonly number[];
  /** The snapshot from which on the provider's price is so many times the markets'. */
  readonly lie: { readonly from: number; readonly factor: number } | null;
  /** The markets of each exchange: its quotes, and at which snapshot it is halted or taken off the list. */
  readonly markets: readonly (readonly {
    readonly quote: (typeof QUOTES)[number];
    readonly halt: { readonly at: number; readonly length: number; readonly isDelisted: boolean } | null;
    readonly multiple: 1 | 1000;
  }[])[];
}

export interface Universe {
  readonly assets: readonly Asset[];
  /** What USDT costs at each snapshot. */
  readonly usdt: readonly number[];
  /** Exchanges that have USDT against USD. */
  readonly usdtMarkets: readonly boolean[];
  /** The snapshots at which each exchange says nothing. */
  readonly silences: readonly (readonly number[])[];
  /** The snapshots at which the provider's list is missing. */
  readonly unlisted: readonly number[];
  /** Snapshots that are seen by two runs. */
  readonly twice: readonly number[];
  readonly seed: number;
}

const moment = fc.integer({ min: 0, max: CALM_FROM - 1 });

const market = fc.record({
  quote: fc.constantFrom(...QUOTES),
  halt: fc.option(
    fc.record({
      at: fc.integer({ min: 0, max: CALM_FROM }),
      length: fc.integer({ min: 1, max: 3 }),
      isDelisted: fc.boolean(),
    }),
    { freq: 4 },
  ),
  multiple: fc.constantFrom<1 | 1000>(1, 1, 1, 1000),
});

const asset: fc.Arbitrary<Asset> = fc.record({
  price: fc.double({ min: -8, max: 5, noNaN: true }).map((power) => 10 ** power),
  isListed: fc.boolean().chain((one) => (one ? fc.constant(true) : fc.boolean())),
  stated: fc.constantFrom('right', 'right', 'renamed', 'wrong', 'both', 'nothing'),
  factor: fc.oneof(
    fc.constantFrom(0.001, 0.5, 0.92, 1.09, 2, 900),
    fc.double({ min: 1.09, max: 50, noNaN: true }),
    fc.double({ min: 0.02, max: 0.92, noNaN: true }),
  ),
  gaps: fc.oneof(fc.constant([]), fc.uniqueArray(moment, { maxLength: 2 })),
  lie: fc.option(
    fc.record({
      from: fc.integer({ min: LIES_FROM, max: SNAPSHOTS - 1 }),
      factor: fc.constantFrom(0.01, 0.6, 0.93, 1.08, 1.2, 100),
    }),
    { freq: 2 },
  ),
  markets: fc.array(
    fc.uniqueArray(market, { maxLength: 3, selector: ({ quote, multiple }) => `${quote}${multiple}` }),
    { minLength: 1, maxLength: EXCHANGES.length },
  ),
});

export const universe: fc.Arbitrary<Universe> = fc.record({
  assets: fc.array(asset, { minLength: 1, maxLength: 3 }),
  usdt: fc.oneof(
    fc.constantFrom(1, 0.93, 0.999, 1.01).map((rate) => Array.from({ length: SNAPSHOTS }, () => rate)),
    fc
      .integer({ min: 1, max: SNAPSHOTS - 1 })
      .map((at) => Array.from({ length: SNAPSHOTS }, (_, n) => (n < at ? 1 : 0.93))),
  ),
  usdtMarkets: fc.array(fc.boolean(), { minLength: EXCHANGES.length, maxLength: EXCHANGES.length }),
  silences: fc.array(fc.uniqueArray(moment, { maxLength: 2 }), {
    minLength: EXCHANGES.length,
    maxLength: EXCHANGES.length,
  }),
  unlisted: fc.uniqueArray(moment, { maxLength: 4 }),
  twice: fc.uniqueArray(fc.integer({ min: 0, max: SNAPSHOTS - 1 }), { maxLength: 3 }),
  seed: fc.nat(),
});

/** The coin that a market trades and the provider states, by `<exchange> <market>`; undefined: none that may be mapped. */
export function truth({ assets, usdtMarkets }: Universe): ReadonlyMap<string, string | undefined> {
  const all = new Map<string, string | undefined>();
  for (const [n, { markets, isListed, stated }] of assets.entries()) {
    const isStated = stated === 'right' || stated === 'renamed';
    for (const [index, ones] of markets.entries()) {
      for (const { quote, multiple } of ones) {
        const coin = isListed && isStated && multiple === 1 ? `right-${n}` : undefined;
        all.set(`${EXCHANGES[index]} ${baseOf(n, multiple)}-${quote}`, coin);
      }
    }
  }
  for (const [index, has] of usdtMarkets.entries())
    if (has) {
      all.set(`${EXCHANGES[index]} USDT-USD`, 'usdt-tether');
      all.set(`${EXCHANGES[index]} USDT-USDC`, undefined);
    }
  return all;
}

const baseOf = (n: number, multiple: 1 | 1000) => `${multiple === 1 ? '' : multiple}S${n}`;

export interface Moment {
  readonly run: Omit<Run, 'now'>;
  readonly now: number;
  /** Markets by `<exchange> <market>` that had a price that counts, of coins that had one and are listed. */
  readonly clean: ReadonlySet<string>;
}

/** Whether the ticker of an asset's coin lies at the n-th snapshot. */
export function isLying({ assets }: Universe, number: number, n: number): boolean {
  const lie = assets[number]?.lie;
  return lie != null && n >= lie.from;
}

/** All that can be seen at the n-th snapshot. */
export function momentOf(world: Universe, n: number): Moment {
  const noise = noiseOf(world.seed + n * 7919);
  const clean = new Set<string>();
  const usdt = world.usdt[n] ?? 1;
  const coins: Coin[] = [
    { id: 'usdt-tether', symbol: 'USDT', price: usdt },
    { id: 'usdt-impostor', symbol: 'usdt', price: 0.2 },
    { id: 'usdc-usd-coin', symbol: 'USDC', price: 1 },
  ];
  for (const [index, one] of world.assets.entries()) coins.push(...coinsOf(one, index, n, noise));
  const isUnlisted = world.unlisted.includes(n);
  const fetched = EXCHANGES.map((exchange, index): Fetched => {
    const markets: Market[] = [];
    const quotes: MarketQuote[] = [];
    const isSilent = world.silences[index]?.includes(n) ?? false;
    const add = (id: string, price: number, isOpen: boolean) => {
      const [base = '', quote = ''] = id.split('-');
      markets.push({ id, base, quote, isOpen });
      quotes.push({ market: id, price, volume: 1e6 / price, change: null, at: null });
      if (isOpen && !isSilent && !isUnlisted) clean.add(`${exchange} ${id}`);
    };
    if (world.usdtMarkets[index]) {
      add('USDT-USD', usdt * noise(0.002), true);
      add('USDT-USDC', usdt * noise(0.002), true);
    }
    for (const [number, one] of world.assets.entries()) {
      for (const { quote, halt, multiple } of one.markets[index] ?? []) {
        const isHalted = halt !== null && n >= halt.at && n < halt.at + halt.length;
        if (isHalted && halt.isDelisted) continue;
        const inUsd = one.price * multiple * walk(number, n) * noise(0.008);
        add(`${baseOf(number, multiple)}-${quote}`, quote === 'USDT' ? inUsd / usdt : inUsd, !isHalted);
        if (one.gaps.includes(n) || isLying(world, number, n))
          clean.delete(`${exchange} ${baseOf(number, multiple)}-${quote}`);
      }
    }
    return isSilent ? { exchange, markets: undefined, quotes: undefined } : { exchange, markets, quotes };
  });
  const now = START + n * RUN_MS;
  const listings = EXCHANGES.map(
    (exchange, index) => [exchange, listingOf(rowsOf(world, index), now)] as const,
  );
  return {
    run: {
      fetched,
      listings: isUnlisted ? undefined : new Map(listings),
      snapshot: { takenAt: now - 60_000, coins: new Map(coins.map((one) => [one.id, one])) },
      isActive: () => true,
    },
    now,
    clean,
  };
}

/** The provider's list of an exchange's markets: it states a market of 1000X as one of X. */
function rowsOf({ assets, usdtMarkets }: Universe, index: number): ListedMarket[] {
  const tethers = ['USD', 'USDC'].map((quote) => ({ base: 'USDT', quote, coinId: 'usdt-tether' }));
  const rows = assets.flatMap(({ markets, stated }, number) =>
    (markets[index] ?? []).flatMap(({ quote, multiple }) => {
      const row = { base: baseOf(number, multiple), quote };
      const right = { ...row, coinId: `right-${number}` };
      const wrong = { ...row, coinId: `other-${number}` };
      const renamed = { ...right, base: `OLD${baseOf(number, multiple)}` };
      const all = { right: [right], renamed: [renamed], wrong: [wrong], both: [right, wrong], nothing: [] };
      return all[stated];
    }),
  );
  return usdtMarkets[index] ? [...rows, ...tethers] : rows;
}

function coinsOf(asset: Asset, number: number, n: number, noise: (by: number) => number): Coin[] {
  const price = asset.price * walk(number, n);
  const symbol = number % 2 ? `s${number}` : `S${number} `;
  const other = { id: `other-${number}`, symbol, price: price * asset.factor };
  const told = price * noise(0.005) * (asset.lie && n >= asset.lie.from ? asset.lie.factor : 1);
  const right = { id: `right-${number}`, symbol, price: told };
  if (!asset.isListed) return [other];
  if (asset.gaps.includes(n)) return [{ ...right, price: n % 2 ? null : price * 1.2 }, other];
  return [right, other];
}

/** The price of all that is this asset moves by 3 % from one snapshot to the next. */
function walk(number: number, n: number): number {
  return 1.03 ** (((n * (number + 3)) % 7) - 3);
}

/** Factors that are off by no more than a part, the same for the same seed. */
function noiseOf(seed: number): (by: number) => number {
  let state = seed >>> 0;
  return (by) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + by * ((state / 2 ** 32) * 2 - 1);
  };
}
