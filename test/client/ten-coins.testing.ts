/** A service of ten coins, and homes with settings that name them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../client/cli/config/config.ts';
import { newHome } from './program.ts';
import { candles, entry, euroRates, resolved, type Stubs, tickerOf } from './stub-api.ts';

export const symbols = ['BTC', 'ETH', 'SOL', 'XRP', 'ADA', 'DOT', 'LTC', 'BCH', 'XLM', 'TRX'];
export const idOf = (symbol: string) => `${symbol.toLowerCase()}-coin`;

/** The first costs 1000 dollars, each after it half of the one before; the second fell, the others rose. */
function ticker(id: string) {
  const at = symbols.findIndex((symbol) => idOf(symbol) === id);
  const symbol = symbols[at] ?? '';
  const usd = { price: 1000 / 2 ** at, percent_change_24h: at === 1 ? -3 : at };
  return tickerOf({ id, symbol, name: `Coin ${symbol}`, rank: at + 1 }, usd);
}

export function tickersOf(ids: readonly string[]) {
  const origin = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
  return { count: ids.length, results: ids.map((id) => ({ id, ticker: ticker(id), ...origin })) };
}

const week = { stepSeconds: 14_400, from: '2026-01-24T12:00:00Z', to: '2026-01-31T12:00:00Z' };

export const tenCoins: Stubs = {
  tickers: ({ ids, limit }) => tickersOf(ids ?? symbols.slice(0, limit).map(idOf)),
  sparklines: ({ ids = [] }) => ({
    ...week,
    coins: ids.map((id) => ({ id, prices: [1, 2, 3, 4], quality: 'exact', source: 'coinpaprika' })),
  }),
  search: ({ q }) => {
    const found = symbols.filter((symbol) => symbol.startsWith(q.toUpperCase()));
    const results = found.map((symbol) =>
      entry({ id: idOf(symbol), symbol, name: `Coin ${symbol}`, rank: symbols.indexOf(symbol) + 1 }),
    );
    return { query: q, count: results.length, results };
  },
  resolve: ({ symbol: text }) => {
    const symbol = symbols.find((each) => text === idOf(each)) ?? text;
    return resolved({ symbol, id: idOf(symbol), name: `Coin ${symbol}` });
  },
  ohlcv: ({ id }) => {
    const data = candles([
      [100, 110, 95, 105],
      [105, 120, 100, 118],
    ]);
    return { coinId: id, interval: '24h', quote: 'usd', count: data.length, data };
  },
  rates: () => euroRates(),
  valuation: ({ holdings, currency = 'USD' }) => valuationOf(holdings, currency),
};

/** The valuation at the prices of the tickers; a euro is 1.25 dollars. */
function valuationOf(holdings: readonly { id?: string; amount: string; cost?: string }[], currency: string) {
  const origin = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;
  const positions = holdings.map(({ id = '', amount, cost = null }, index) => {
    const { symbol, name, quotes } = ticker(id);
    const price = (quotes.USD.price ?? 0) * (currency === 'EUR' ? 0.8 : 1);
    const value = Number(amount) * price;
    const profit = cost === null ? null : value - Number(cost);
    return {
      ...{ index, id, symbol, name, amount, price: String(price), value: String(value), cost, ...origin },
      ...{ sharePercent: null, change24hPercent: null, profit: profit === null ? null : String(profit) },
      profitPercent: profit === null ? null : (profit / Number(cost)) * 100,
    };
  });
  const total = String(positions.reduce((sum, { value }) => sum + Number(value), 0));
  return {
    ...{ currency, total, positions, isComplete: true, missing: [], exchangeRate: null },
    ...{
      change24hPercent: null,
      changeCoversPercent: null,
      rounding: '34 significant digits, half to even' as const,
    },
  };
}

/** A home with these settings, which goes away with the run. */
export function homeWith(config: Config): string {
  const home = newHome();
  mkdirSync(dirname(configOf(home)), { recursive: true });
  writeFileSync(configOf(home), JSON.stringify(config));
  return home;
}

export const configOf = (home: string) => join(home, '.config/marketdata/config.json');
