/** Random worlds of coins and markets, with the coin that each market trades. */
import fc from 'fast-check';
import type { Coin } from '../../functions/marketdata/jobs/markets/coins.ts';
import type { Fetched } from '../../functions/marketdata/jobs/markets/exchange.ts';
import type { Market, MarketQuote } from '../../shared/marketdata/sources/market.ts';

export const EXCHANGES = ['coinbase', 'kraken', 'binance'] as const;
const QUOTES = ['USD', 'USDC', 'USDT'] as const;
export const SNAPSHOTS = 16;
/** From here on no ticker is missing and no prices agree by chance. */
const CALM_FROM = 6;
/** From here on tickers may lie: long enough after the first three that everybody had time to find the right coin. */
const LIES_FROM = 12;
const RUN_MS = 600_000;
export const START = Date.UTC(2026, 10, 22);

/** A coin that has the symbol of another one, and is not what exchanges trade. */
interface Impostor {
  readonly rank: 'better' | 'worse';
  /** Its price as a part of the market's. */
  readonly factor: number;
  /** Snapshots at which it agrees by chance: never three in a row. */
  readonly coincidences: readonly number[];
  readonly isActive: boolean;
}

interface Asset {
  readonly price: number;
  /** False: CoinPaprika does not list what the exchanges trade, and has the impostors alone. */
  readonly isListed: boolean;
  /** Coins with the same price, ranked worse. */
  readonly copies: number;
  /** Whether there is one with the same price, a better rank, and less volume than any market. */
  readonly hasThinCopy: boolean;
  readonly impostors: readonly Impostor[];
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
  /** Snapshots that are seen by two runs. */
  readonly twice: readonly number[];
  readonly seed: number;
}

const moment = fc.integer({ min: 0, max: CALM_FROM - 1 });

const impostor: fc.Arbitrary<Impostor> = fc.record({
  rank: fc.constantFrom('better', 'worse'),
  factor: fc.oneof(
    fc.constantFrom(0.001, 0.5, 0.93, 0.965, 1.04, 1.075, 2, 1000),
    fc.double({ min: 1.08, max: 50, noNaN: true }),
    fc.double({ min: 0.02, max: 0.92, noNaN: true }),
  ),
  coincidences: fc.uniqueArray(moment, { maxLength: 5 }).map(neverThree),
  isActive: fc.boolean(),
});

function neverThree(moments: readonly number[]): number[] {
  const all = new Set(moments);
  return [...all].filter((at) => !(all.has(at - 1) && all.has(at - 2)) && at % 3 !== 2);
}

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
  copies: fc.integer({ min: 0, max: 2 }),
  hasThinCopy: fc.boolean(),
  impostors: fc.array(impostor, { maxLength: 3 }),
  gaps: fc.oneof(fc.constant([]), fc.uniqueArray(moment, { maxLength: 2 })),
  lie: fc.option(
    fc.record({
      from: fc.integer({ min: LIES_FROM, max: SNAPSHOTS - 1 }),
      factor: fc.constantFrom(0.01, 0.6, 0.94, 1.06, 1.2, 100),
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
  twice: fc.uniqueArray(fc.integer({ min: 0, max: SNAPSHOTS - 1 }), { maxLength: 3 }),
  seed: fc.nat(),
});

/** The coin that a market trades, by `<exchange> <market>`; undefined: none that is listed. */
export function truth({ assets, usdtMarkets }: Universe): ReadonlyMap<string, string | undefined> {
  const all = new Map<string, string | undefined>();
  for (const [n, { markets, isListed }] of assets.entries()) {
    for (const [index, ones] of markets.entries()) {
      for (const { quote, multiple } of ones) {
        const coin = isListed && multiple === 1 ? `right-${n}` : undefined;
        all.set(`${EXCHANGES[index]} ${baseOf(n, multiple)}-${quote}`, coin);
      }
    }
  }
  for (const [index, has] of usdtMarkets.entries())
    if (has) all.set(`${EXCHANGES[index]} USDT-USD`, 'usdt-tether');
  return all;
}

const baseOf = (n: number, multiple: 1 | 1000) => `${multiple === 1 ? '' : multiple}S${n}`;

export interface Moment {
  readonly now: number;
  readonly snapshot: { readonly takenAt: number; readonly coins: readonly Coin[] };
  readonly fetched: readonly Fetched[];
  /** Markets by `<exchange> <market>` that had a price that counts, of coins that had one. */
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
    { id: 'usdt-tether', symbol: 'USDT', rank: 3, isActive: true, price: usdt, volume: 1e12 },
    { id: 'usdt-impostor', symbol: 'usdt', rank: 40, isActive: true, price: 0.2, volume: 1e12 },
    { id: 'usdc-usd-coin', symbol: 'USDC', rank: 6, isActive: true, price: 1, volume: 1e12 },
  ];
  for (const [index, one] of world.assets.entries()) coins.push(...coinsOf(one, index, n, noise));
  const fetched = EXCHANGES.map((exchange, index): Fetched => {
    const markets: Market[] = [];
    const quotes: MarketQuote[] = [];
    const isSilent = world.silences[index]?.includes(n) ?? false;
    const add = (id: string, price: number, isOpen: boolean) => {
      const [base = '', quote = ''] = id.split('-');
      markets.push({ id, base, quote, isOpen });
      quotes.push({ market: id, price, volume: 1e6 / price, change: null, at: null });
      if (isOpen && !isSilent) clean.add(`${exchange} ${id}`);
    };
    if (world.usdtMarkets[index]) add('USDT-USD', usdt * noise(0.002), true);
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
  return {
    now: START + n * RUN_MS,
    snapshot: { takenAt: START + n * RUN_MS - 60_000, coins },
    fetched,
    clean,
  };
}

function coinsOf(asset: Asset, number: number, n: number, noise: (by: number) => number): Coin[] {
  const price = asset.price * walk(number, n);
  const symbol = number % 2 ? `s${number}` : `S${number} `;
  const of = (id: string, rank: number, given: Partial<Coin>): Coin => ({
    ...{ id: `${id}-${number}`, symbol, rank: rank + number, isActive: true, price, volume: 1e8 },
    ...given,
  });
  const isGap = asset.gaps.includes(n);
  const gap = [{ price: null }, { volume: null }, { price: price * 1.2 }][n % 3];
  const told = price * noise(0.005) * (asset.lie && n >= asset.lie.from ? asset.lie.factor : 1);
  const right = asset.isListed ? [of('right', 100, { price: told, ...(isGap && gap) })] : [];
  const copies = asset.isListed
    ? Array.from({ length: asset.copies }, (_, copy) =>
        of(`copy${copy}`, 500 + copy * 10, { price: price * noise(0.003) }),
      )
    : [];
  const thin = asset.hasThinCopy ? [of('thin', 20, { volume: 1000 })] : [];
  const impostors = asset.impostors.map(({ rank, factor, coincidences, isActive }, index) =>
    of(`impostor${index}`, (rank === 'better' ? 30 : 300) + index * 5, {
      price: coincidences.includes(n) ? price * noise(0.004) : price * factor,
      isActive,
    }),
  );
  return [...right, ...copies, ...thin, ...impostors];
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
