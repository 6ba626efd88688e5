import { type ProviderCoin, wellKnownCoin } from './coins.ts';
import { seedOf, uniform } from './hash.ts';
import { createWalk, EPOCH_MS, STEP_MS, type Walk } from './walk.ts';

/** One coin of the simulation: its path in log US dollars, and the figures around it. */
export interface Asset {
  readonly coin: ProviderCoin;
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

/** The assets of a universe, all moved by one market. */
export interface Market {
  readonly seed: number;
  readonly coins: readonly ProviderCoin[];
  /** `undefined` for an id that the universe does not have. */
  readonly asset: (id: string) => Asset | undefined;
  /** The unit of prices quoted in btc, even if the universe does not list it. */
  readonly bitcoin: Asset;
}

const BITCOIN = 'btc-bitcoin';
const MARKET_VOLATILITY = 0.45; // a year, log scale
const MARKET_GROWTH = 0.15; // a year, log scale
const EARLY_GROWTH = 0.055; // a year and year: Bitcoin at cents in 2010 and at 100 dollars in 2015, about as it was
const GOLD_VOLATILITY = 0.15;
const PEG_WOBBLE = 0.0008; // keeps a stablecoin within 0.1 % of its dollar
const PEG_RESTLESSNESS = 10;
const STEPS_A_YEAR = (365.25 * 86_400_000) / STEP_MS;

/** Builds the universe of a seed. The same seed and coin give the same history, whatever else the universe holds. */
export function createMarket(coins: readonly ProviderCoin[], seed: number): Market {
  const ofCoins = markets.get(coins) ?? new Map<number, Market>();
  markets.set(coins, ofCoins);
  const market = ofCoins.get(seed) ?? buildMarket(coins, seed);
  ofCoins.set(seed, market);
  return market;
}

/** A market is a function of its coins and seed, so that all who simulate the same share what it has worked out. */
const markets = new WeakMap<readonly ProviderCoin[], Map<number, Market>>();

function buildMarket(coins: readonly ProviderCoin[], seed: number): Market {
  const byId = new Map(coins.map((coin) => [coin.id, coin]));
  const assets = new Map<string, Asset>();
  const marketWalk = createWalk(seedOf(`${seed}:market`));
  const goldWalk = createWalk(seedOf(`${seed}:gold`));
  const marketAt: Walk = (step) => MARKET_VOLATILITY * marketWalk(step) + growth(step / STEPS_A_YEAR);

  function asset(id: string): Asset | undefined {
    const coin = byId.get(id);
    return coin && assetOf(coin);
  }

  function priced(id: string): Asset {
    const coin = byId.get(id) ?? wellKnownCoin(id);
    if (!coin) throw new Error(`A simulated coin follows "${id}", which is neither listed nor well known`);
    return assetOf(coin);
  }

  function assetOf(coin: ProviderCoin): Asset {
    const known = assets.get(coin.id);
    if (known) return known;
    const built = build({ ...wellKnownCoin(coin.id), ...coin });
    assets.set(coin.id, built);
    return built;
  }

  function build(coin: ProviderCoin): Asset {
    const coinSeed = seedOf(`${seed}:${coin.id}`);
    const random = (salt: number) => uniform(coinSeed, salt);
    const priceUsd = coin.priceUsd ?? 10 ** (1 - 5 * random(1));
    const circulatingSupply = coin.circulatingSupply ?? Math.round(supplyForRank(coin.rank, priceUsd));
    const maxSupply = coin.maxSupply ?? null;
    const turnover = coin.follows === 'usd' ? 0.3 : 0.02 + 0.08 * random(4);
    const beta = coin.id === BITCOIN ? 1 : 0.8 + 0.7 * random(2);
    return {
      coin,
      logAt: path(coin, Math.log(priceUsd), beta, coinSeed),
      circulatingSupply,
      totalSupply: Math.round(Math.min(circulatingSupply * (1 + 0.2 * random(3)), maxSupply ?? Infinity)),
      maxSupply,
      dailyVolume: turnover * priceUsd * circulatingSupply,
      beta: coin.follows ? 0 : beta,
      firstMs: Date.UTC(coin.firstYear ?? 2021, 0, 1 + Math.floor(200 * random(5))),
      seed: coinSeed,
    };
  }

  function path(coin: ProviderCoin, anchor: number, beta: number, coinSeed: number): Walk {
    const own = createWalk(coinSeed);
    if (coin.follows) {
      const reference = referenceOf(coin.follows);
      return (step) => anchor + reference(step) + PEG_WOBBLE * Math.sin(PEG_RESTLESSNESS * own(step));
    }
    const volatility = coin.id === BITCOIN ? 0.1 : 0.3 + 0.4 * uniform(coinSeed, 6);
    return (step) => anchor + beta * marketAt(step) + volatility * own(step);
  }

  /** The change of the followed price since the epoch, in the logarithm. */
  function referenceOf(follows: string): Walk {
    if (follows === 'gold') return (step) => GOLD_VOLATILITY * goldWalk(step);
    if (follows === 'usd') return () => 0;
    const followed = priced(follows);
    const start = followed.logAt(0);
    return (step) => followed.logAt(step) - start;
  }

  return { seed, coins, asset, bitcoin: priced(BITCOIN) };
}

/** The growth of the market since the epoch, in the logarithm and without the walk. */
function growth(years: number): number {
  return MARKET_GROWTH * years - (years < 0 ? EARLY_GROWTH * years * years : 0);
}

/** A supply that gives the rank a plausible market capitalization: 10^11.5 dollars for the first, falling as a power. */
function supplyForRank(rank: number, priceUsd: number): number {
  return 10 ** 11.5 / Math.max(rank, 1) ** 1.4 / priceUsd;
}

/** Price in US dollars at an instant (ms): exact on the grid, straight in the logarithm between. */
export function priceAt(asset: Asset, ms: number): number {
  return Math.exp(logPriceAt(asset.logAt, ms));
}

/** The logarithm of that, for any path on the grid. */
export function logPriceAt(logAt: Walk, ms: number): number {
  const position = (ms - EPOCH_MS) / STEP_MS;
  const step = Math.floor(position);
  const left = logAt(step);
  return position === step ? left : left + (position - step) * (logAt(step + 1) - left);
}
