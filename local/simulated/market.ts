/** The simulated coins: the price of each at any instant, and the figures that belong to it. */
import { edgeCaseCoins, replacedCoins } from '../../registry-layer/simulated/list.ts';
import { type WellKnownCoin, wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';
import { createWalk, EPOCH_MS, STEP_MS, seedOf, uniform, type Walk } from './walk.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A coin of the simulation. Omitted fields come from the well-known coin of that id, otherwise from the seed. */
export type SimulatedCoin = Pick<WellKnownCoin, 'id' | 'name' | 'symbol' | 'type'> & {
  /** 0 if the coin is not active. */
  readonly rank: number;
  readonly is_new?: boolean;
  readonly is_active?: boolean;
} & Partial<Pick<WellKnownCoin, 'priceUsd' | 'circulatingSupply' | 'maxSupply' | 'firstYear' | 'follows'>>;

/** One coin of a market: its path in log US dollars, and the figures around it. */
export interface Asset {
  readonly coin: SimulatedCoin;
  /** Natural logarithm of the price in US dollars at a step of the grid. */
  readonly logAt: Walk;
  readonly circulatingSupply: number;
  readonly totalSupply: number;
  readonly maxSupply: number | null;
  /** US dollars traded in an average day. */
  readonly dailyVolume: number;
  readonly beta: number;
  readonly firstMs: number;
  /** Seed of everything else about the coin. */
  readonly seed: number;
}

/** The assets of a seed, all moved by one market. */
export interface Market {
  readonly seed: number;
  readonly coins: readonly SimulatedCoin[];
  /** `undefined` for an id that is not listed. */
  readonly asset: (id: string) => Asset | undefined;
  /** The unit of prices quoted in btc, even if it is not listed. */
  readonly bitcoin: Asset;
}

/** The well-known coins, with a handful of odd ids ranked behind them. */
export const defaultCoins: readonly SimulatedCoin[] = [
  ...wellKnownCoins,
  ...edgeCaseCoins.map((coin, index) => ({ ...coin, rank: wellKnownCoins.length + index + 1 })),
];

const wellKnown = new Map<string, SimulatedCoin>([
  ...wellKnownCoins.map((coin) => [coin.id, coin] as const),
  ...replacedCoins.map((coin) => [coin.id, { ...coin, rank: 0, is_active: false, firstYear: 2018 }] as const),
]);
const BITCOIN = 'btc-bitcoin';
const MARKET_VOLATILITY = 0.45; // a year, log scale
const MARKET_GROWTH = 0.15; // a year, log scale
const EARLY_GROWTH = 0.055; // a year and year: Bitcoin at cents in 2010 and at 100 dollars in 2015, about as it was
const GOLD_VOLATILITY = 0.15;
const PEG_WOBBLE = 0.0008; // keeps a stablecoin within 0.1 % of its dollar
const PEG_RESTLESSNESS = 10;
const STEPS_A_YEAR = (365.25 * DAY_MS) / STEP_MS;

/** A seed and a coin determine its history, independent of the other coins. Built once for a list and a seed. */
export function createMarket(coins: readonly SimulatedCoin[], seed: number): Market {
  const ofCoins = markets.get(coins) ?? new Map<number, Market>();
  markets.set(coins, ofCoins);
  const market = ofCoins.get(seed) ?? buildMarket(coins, seed);
  ofCoins.set(seed, market);
  return market;
}

const markets = new WeakMap<readonly SimulatedCoin[], Map<number, Market>>();

function buildMarket(coins: readonly SimulatedCoin[], seed: number): Market {
  const byId = new Map(coins.map((coin) => [coin.id, coin]));
  const assets = new Map<string, Asset>();
  const marketWalk = createWalk(seedOf(`${seed}:market`));
  const goldWalk = createWalk(seedOf(`${seed}:gold`));

  function assetOf(coin: SimulatedCoin): Asset {
    const asset = assets.get(coin.id) ?? build({ ...wellKnown.get(coin.id), ...coin });
    assets.set(coin.id, asset);
    return asset;
  }

  function priced(id: string): Asset {
    const coin = byId.get(id) ?? wellKnown.get(id);
    if (!coin) throw new Error(`A simulated coin follows "${id}", which is neither listed nor well known`);
    return assetOf(coin);
  }

  function build(coin: SimulatedCoin): Asset {
    const coinSeed = seedOf(`${seed}:${coin.id}`);
    const random = (salt: number) => uniform(coinSeed, salt);
    const priceUsd = coin.priceUsd ?? 10 ** (1 - 5 * random(1));
    // A plausible market capitalization for the rank: 10^11.5 dollars for the first, falling as a power.
    const plausibleSupply = 10 ** 11.5 / Math.max(coin.rank, 1) ** 1.4 / priceUsd;
    const circulatingSupply = coin.circulatingSupply ?? Math.round(plausibleSupply);
    const maxSupply = coin.maxSupply ?? null;
    const turnover = coin.follows === 'usd' ? 0.3 : 0.02 + 0.08 * random(4);
    const beta = coin.id === BITCOIN ? 1 : 0.8 + 0.7 * random(2);
    return {
      coin,
      logAt: pathOf(coin, Math.log(priceUsd), beta, coinSeed),
      circulatingSupply,
      totalSupply: Math.round(Math.min(circulatingSupply * (1 + 0.2 * random(3)), maxSupply ?? Infinity)),
      maxSupply,
      dailyVolume: turnover * priceUsd * circulatingSupply,
      beta: coin.follows ? 0 : beta,
      firstMs: Date.UTC(coin.firstYear ?? 2021, 0, 1 + Math.floor(200 * random(5))),
      seed: coinSeed,
    };
  }

  function pathOf(coin: SimulatedCoin, anchor: number, beta: number, coinSeed: number): Walk {
    const own = createWalk(coinSeed);
    if (coin.follows) {
      const reference = referenceOf(coin.follows);
      return (step) => anchor + reference(step) + PEG_WOBBLE * Math.sin(PEG_RESTLESSNESS * own(step));
    }
    const volatility = coin.id === BITCOIN ? 0.1 : 0.3 + 0.4 * uniform(coinSeed, 6);
    return (step) => {
      const market = MARKET_VOLATILITY * marketWalk(step) + growth(step / STEPS_A_YEAR);
      return anchor + beta * market + volatility * own(step);
    };
  }

  /** The change of the followed price since the epoch, in the logarithm. */
  function referenceOf(follows: string): Walk {
    if (follows === 'gold') return (step) => GOLD_VOLATILITY * goldWalk(step);
    if (follows === 'usd') return () => 0;
    const followed = priced(follows);
    const start = followed.logAt(0);
    return (step) => followed.logAt(step) - start;
  }

  const asset = (id: string) => {
    const coin = byId.get(id);
    return coin && assetOf(coin);
  };
  return { seed, coins, asset, bitcoin: priced(BITCOIN) };
}

/** The growth of the market since the epoch, in the logarithm and without the walk. */
function growth(years: number): number {
  return MARKET_GROWTH * years - (years < 0 ? EARLY_GROWTH * years * years : 0);
}

/** The active coins by rank, as far as a list of tickers goes. */
export function rankedAssets({ coins, asset }: Market, most = Infinity): Asset[] {
  const active = coins.filter(({ rank, is_active }) => is_active !== false && rank > 0);
  const ranked = active.toSorted((a, b) => a.rank - b.rank).slice(0, most);
  return ranked.flatMap(({ id }) => asset(id) ?? []);
}

/** Price in US dollars at an instant (ms): exact on the grid, straight in the logarithm between. */
export function priceAt({ logAt }: Pick<Asset, 'logAt'>, ms: number): number {
  return Math.exp(logPriceAt(logAt, ms));
}

function logPriceAt(logAt: Walk, ms: number): number {
  const position = (ms - EPOCH_MS) / STEP_MS;
  const step = Math.floor(position);
  const left = logAt(step);
  return position === step ? left : left + (position - step) * (logAt(step + 1) - left);
}

export interface Range {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/**
 * The prices between two instants (ms). High and low are taken over every step of the grid, between which the path is
 * straight: they are exact, and a day's are those of its hours. `quote` is the unit, `undefined` for US dollars.
 */
export function rangeBetween(
  { logAt }: Pick<Asset, 'logAt'>,
  fromMs: number,
  toMs: number,
  quote?: Asset,
): Range {
  const path: Walk = quote ? (step) => logAt(step) - quote.logAt(step) : logAt;
  const open = logPriceAt(path, fromMs);
  const close = logPriceAt(path, toMs);
  let high = Math.max(open, close);
  let low = Math.min(open, close);
  const lastStep = Math.floor((toMs - EPOCH_MS) / STEP_MS);
  for (let step = Math.ceil((fromMs - EPOCH_MS) / STEP_MS); step <= lastStep; step++) {
    const price = path(step);
    if (price > high) high = price;
    else if (price < low) low = price;
  }
  return { open: Math.exp(open), high: Math.exp(high), low: Math.exp(low), close: Math.exp(close) };
}

/**
 * US dollars traded between two instants (ms). The rate of trade is constant within an hour, so that the volume of a
 * long candle is the sum of its short ones.
 */
export function volumeBetween({ seed, dailyVolume }: Asset, fromMs: number, toMs: number): number {
  let volume = 0;
  for (let hour = Math.floor(fromMs / HOUR_MS); hour * HOUR_MS < toMs; hour++) {
    const partMs = Math.min(toMs, (hour + 1) * HOUR_MS) - Math.max(fromMs, hour * HOUR_MS);
    const ofDay = 0.6 + 0.8 * uniform(seed, -Math.floor(hour / 24));
    volume += (partMs / DAY_MS) * dailyVolume * ofDay * (0.5 + uniform(seed, hour));
  }
  return volume;
}

/** The instants from one to another (inclusive) that open an interval; the first lies on the grid of `gridMs`. */
export function openings(
  fromMs: number,
  toMs: number,
  stepMs: number,
  most = Infinity,
  gridMs = stepMs,
): number[] {
  const first = Math.ceil(fromMs / gridMs) * gridMs;
  const count = Math.min(Math.floor((toMs - first) / stepMs) + 1, most);
  return Array.from({ length: Math.max(count, 0) }, (_, index) => first + index * stepMs);
}

/** `2025-09-25T16:42:00Z`: ISO 8601 in whole seconds. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
