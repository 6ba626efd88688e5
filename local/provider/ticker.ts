import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { type Asset, logPriceAt, priceAt } from './market.ts';
import type { Plan } from './plan.ts';
import { isoSeconds } from './time.ts';
import { volumeBetween } from './volume.ts';
import { COARSE_STEPS, EPOCH_MS, STEP_MS } from './walk.ts';

const changePeriods = [
  ['percent_change_15m', 15 * MINUTE_MS],
  ['percent_change_30m', 30 * MINUTE_MS],
  ['percent_change_1h', HOUR_MS],
  ['percent_change_6h', 6 * HOUR_MS],
  ['percent_change_12h', 12 * HOUR_MS],
  ['percent_change_24h', DAY_MS],
  ['percent_change_7d', 7 * DAY_MS],
  ['percent_change_30d', 30 * DAY_MS],
  ['percent_change_1y', 365 * DAY_MS],
] as const;

/**
 * `/tickers/{id}` at an instant (ms) that is a full minute. The free plan has no `circulating_supply`, as documented;
 * a coin without a maximum has `max_supply` 0.
 */
export function ticker(asset: Asset, plan: Plan, lastMs: number): object {
  const { coin } = asset;
  return {
    id: coin.id,
    name: coin.name,
    symbol: coin.symbol,
    rank: coin.rank,
    ...(plan !== 'free' && { circulating_supply: asset.circulatingSupply }),
    total_supply: asset.totalSupply,
    max_supply: asset.maxSupply ?? 0,
    beta_value: round(asset.beta, 6),
    first_data_at: isoSeconds(asset.firstMs),
    last_updated: isoSeconds(lastMs),
    quotes: { USD: quoteUsd(asset, lastMs) },
  };
}

function quoteUsd(asset: Asset, lastMs: number): object {
  const price = priceAt(asset, lastMs);
  const volume = volumeBetween(asset, lastMs - DAY_MS, lastMs);
  const volumeBefore = volumeBetween(asset, lastMs - 2 * DAY_MS, lastMs - DAY_MS);
  const ath = allTimeHigh(asset, lastMs);
  const change = (periodMs: number) =>
    lastMs - periodMs < asset.firstMs ? 0 : percent(price, priceAt(asset, lastMs - periodMs));
  return {
    price,
    volume_24h: volume, // with a fraction, unlike the volume of candles and history
    volume_24h_change_24h: percent(volume, volumeBefore),
    market_cap: Math.round(price * asset.circulatingSupply),
    market_cap_change_24h: change(DAY_MS), // the supply does not change
    ...Object.fromEntries(changePeriods.map(([name, periodMs]) => [name, change(periodMs)])),
    ath_price: ath.price,
    ath_date: isoSeconds(ath.atMs),
    percent_from_price_ath: percent(price, ath.price),
  };
}

/** The highest of the weekly samples and the current price: a candle's high between two samples may be higher. */
function allTimeHigh(asset: Asset, lastMs: number): { price: number; atMs: number } {
  const coarseMs = COARSE_STEPS * STEP_MS;
  const first = Math.ceil((asset.firstMs - EPOCH_MS) / coarseMs);
  const last = Math.floor((lastMs - EPOCH_MS) / coarseMs);
  const known = highs.get(asset);
  let {
    sample: highest,
    log: highestLog,
    through,
  } = known && known.through <= last ? known : { sample: first, log: -Infinity, through: first - 1 };
  for (; through < last; through++) {
    const log = asset.logAt((through + 1) * COARSE_STEPS);
    if (log > highestLog) [highest, highestLog] = [through + 1, log];
  }
  highs.set(asset, { sample: highest, log: highestLog, through });
  const now = logPriceAt(asset.logAt, lastMs);
  return highestLog > now
    ? { price: Math.exp(highestLog), atMs: EPOCH_MS + highest * coarseMs }
    : { price: Math.exp(now), atMs: lastMs };
}

/** The highest weekly sample of each asset through a sample: a list of all tickers walks its weeks once. */
const highs = new WeakMap<Asset, { sample: number; log: number; through: number }>();

function percent(now: number, then: number): number {
  return round((now / then - 1) * 100, 2);
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
