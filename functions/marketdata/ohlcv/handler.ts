import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { Candle, FoldedCandle } from '../../../shared/marketdata/candles.ts';
import { storedHistory } from '../../../shared/marketdata/own-history.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { BITCOIN } from '../../../shared/marketdata/running.ts';
import { chart } from '../../../shared/marketdata/serve/chart.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { windowOf } from '../../../shared/marketdata/window.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { historyDemand } from '../../../shared/providers/demand.ts';
import { entryOf, isActiveCoin } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, dependencies) => {
  const { environment, headers } = dependencies;
  const { id, interval, quote, currency, limit, start, end, provenance } = input;
  await isActiveCoin(id, environment);
  const window = windowOf({ interval, limit, start, end }, Date.now());
  const readRates = currency === undefined ? undefined : await ratesIn(currency, quote, environment);
  const query = { id, window, unit: quote === 'btc' ? BITCOIN : undefined, readRates };
  const demand = historyDemand(dependencies, entryOf(id));
  const { candles, quality, ...from } = await chart(environment, query, demand);
  setSourceHeaders(headers, from, quality);
  const data = provenance ? candles : candles.map(withoutProvenance);
  return { coinId: id, interval, quote: currency?.toLowerCase() ?? quote, count: data.length, data };
});

/** Throws 400 for an unknown currency, and for one in place of a coin, before anything is read. Loaded only for a currency. */
async function ratesIn(currency: string, quote: 'usd' | 'btc', environment: Environment) {
  const { currencyParameter, currencyRates } = await import(
    '../../../shared/marketdata/serve/currency-rates.ts'
  );
  const code = currencyParameter(currency);
  if (quote === 'btc') throw new ApiError(400, 'Candles are in a currency or in btc; give currency or quote');
  return () => currencyRates(environment, code);
}

/** Copying the wanted fields is three times as fast as removing the others. */
function withoutProvenance({
  time_open,
  time_close,
  open,
  high,
  low,
  close,
  volume,
  market_cap,
  new_unit,
}: FoldedCandle): Candle {
  const candle = { time_open, time_close, open, high, low, close, volume, market_cap };
  return new_unit ? { ...candle, new_unit } : candle;
}

// Loads Bitcoin's completed days before the first request; this also opens a connection that requests use.
await atInit(currentSnapshot, async (environment) => {
  const store = storedHistory(environment);
  const to = Date.now() - (Date.now() % DAY_MS);
  const lastDay = { base: '24h', from: to - DAY_MS, to } as const;
  await Promise.all([store?.prepare(), store?.rows(BITCOIN, lastDay, undefined)]);
});
