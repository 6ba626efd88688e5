import { type Asset, logPriceAt } from './market.ts';
import { isoSeconds } from './time.ts';
import { volumeBetween } from './volume.ts';
import { EPOCH_MS, STEP_MS, type Walk } from './walk.ts';

/** A candle as the provider answers it: prices in the quote currency, volume and market cap as integers of it. */
export interface Candle {
  readonly time_open: string;
  readonly time_close: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly market_cap: number;
}

/**
 * The candle that opens at `openMs`; the one still being built closes at `lastMs`. High and low are taken over every
 * step of the grid, between which the path is straight: they are exact, and a day's are those of its hours.
 * `quote` is the asset whose price is the unit, `undefined` for US dollars.
 */
export function candle(
  asset: Asset,
  quote: Asset | undefined,
  openMs: number,
  intervalMs: number,
  lastMs: number,
): Candle {
  const isRunning = lastMs < openMs + intervalMs;
  const closeMs = isRunning ? lastMs : openMs + intervalMs;
  const logAt = quotedIn(asset, quote);
  const open = logPriceAt(logAt, openMs);
  const close = logPriceAt(logAt, closeMs);
  let high = Math.max(open, close);
  let low = Math.min(open, close);
  const lastStep = Math.floor((closeMs - EPOCH_MS) / STEP_MS);
  for (let step = Math.ceil((openMs - EPOCH_MS) / STEP_MS); step <= lastStep; step++) {
    const price = logAt(step);
    if (price > high) high = price;
    else if (price < low) low = price;
  }
  const dollars = quote ? Math.exp(logPriceAt(quote.logAt, closeMs)) : 1;
  return {
    time_open: isoSeconds(openMs),
    time_close: isoSeconds(isRunning ? closeMs : closeMs - 1000),
    open: Math.exp(open),
    high: Math.exp(high),
    low: Math.exp(low),
    close: Math.exp(close),
    volume: Math.round(volumeBetween(asset, openMs, closeMs) / dollars),
    market_cap: Math.round(Math.exp(close) * asset.circulatingSupply),
  };
}

function quotedIn(asset: Asset, quote: Asset | undefined): Walk {
  return quote ? (step) => asset.logAt(step) - quote.logAt(step) : asset.logAt;
}
