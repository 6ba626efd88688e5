import { ApiFailure } from '../../sdk/index.ts';
import type { Api } from '../api.ts';
import type { Coin, Provider } from '../providers.ts';

/** CoinPaprika, behind the `marketdata` routes. */
export const coinPaprika: Provider = {
  label: 'CoinPaprika',
  // As the note has always said it; the plan's documents of 2026 say 20,000.
  freeRequestsPerMonth: 25_000,

  // Nearly every id has a hyphen and nearly no symbol, but both exceptions exist: `mobilecoin` is an id.
  async find(api, symbol) {
    if (/^\.{1,2}$/.test(symbol)) return undefined; // a URL cannot carry it: dots in a path are steps, encoded or not
    const [first, second] = symbol.includes('-') ? [byId, bySymbol] : [bySymbol, byId];
    return (await first(api, symbol)) ?? (await second(api, symbol));
  },
  chart: (api, id, range) => api.ohlcv({ id, ...range }),
  search: (api, query, limit) => api.search({ q: query, limit }),
};

async function bySymbol(api: Api, symbol: string): Promise<Coin | undefined> {
  const answer = await orNotFound(api.resolve({ symbol }));
  if (!answer) return undefined;
  const { id, name, symbol: spelling, alternatives } = answer.data;
  return { id, name, symbol: spelling, alternatives, isActive: true };
}

async function byId(api: Api, id: string): Promise<Coin | undefined> {
  const answer = await orNotFound(api.coin({ id }));
  if (!answer) return undefined;
  const { name, symbol, is_active: isActive } = answer.data;
  return { id: answer.data.id, name, symbol, alternatives: 0, isActive };
}

async function orNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404 && error.isAnswer) return undefined;
    throw error;
  }
}
