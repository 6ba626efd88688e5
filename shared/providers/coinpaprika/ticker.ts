import type { Cached } from '../client/cache.ts';
import type { CoinPaprika, ProviderData } from './client.ts';
import { pathSegment } from './path.ts';
import { instant, type JsonObject, numberOrNull, object, text, textOrNull } from './shapes.ts';

const NUMBERS = ['rank', 'circulating_supply', 'total_supply', 'max_supply', 'beta_value'] as const;
const USD_NUMBERS = [
  'price',
  'volume_24h',
  'volume_24h_change_24h',
  'market_cap',
  'market_cap_change_24h',
  'percent_change_15m',
  'percent_change_30m',
  'percent_change_1h',
  'percent_change_6h',
  'percent_change_12h',
  'percent_change_24h',
  'percent_change_7d',
  'percent_change_30d',
  'percent_change_1y',
  'ath_price',
  'percent_from_price_ath',
] as const;

type Numbers<Names extends readonly string[]> = Record<Names[number], number | null>;

/** The provider's names and units: prices and amounts in USD, changes in percent, times in ISO 8601 UTC. */
export interface Ticker extends Numbers<typeof NUMBERS> {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly first_data_at: string | null;
  readonly last_updated: string | null;
  readonly quotes: { readonly USD: Numbers<typeof USD_NUMBERS> & { readonly ath_date: string | null } };
}

/** How long a ticker may stand in for a newer one that cannot be had: longer than an outage usually lasts. */
export const TICKER_STALE_MS = 12 * 3_600_000;

/** The current ticker of a coin; stands in for a failed refresh for half a day after it was fresh. */
export async function ticker(
  provider: CoinPaprika,
  id: string,
  { freshMs, deadline }: { readonly freshMs: number; readonly deadline: number },
): Promise<Cached<ProviderData<Ticker>>> {
  return provider.get(
    {
      path: `/tickers/${pathSegment(id)}`,
      coinId: id,
      read: readTicker,
      madeAt: tickerMadeAt,
      freshUntil: (askedAt) => askedAt + freshMs,
      staleForMs: TICKER_STALE_MS,
    },
    deadline,
  );
}

/** When the provider made it, in milliseconds since the epoch, where it says so. */
export function tickerMadeAt({ last_updated }: Ticker): number | undefined {
  return last_updated === null ? undefined : Date.parse(last_updated);
}

/** Takes what the route promises from a ticker as the provider sends it; throws an Error naming a wrong field. */
export function readTicker(json: unknown): Ticker {
  const source = object(json, 'the ticker');
  const usd = object(object(source.quotes, 'quotes').USD, 'quotes.USD');
  return {
    id: text(source, 'id'),
    name: text(source, 'name'),
    symbol: text(source, 'symbol'),
    ...numbers(source, NUMBERS),
    first_data_at: textOrNull(source, 'first_data_at'),
    last_updated: source.last_updated == null ? null : instant(source, 'last_updated'),
    quotes: { USD: { ...numbers(usd, USD_NUMBERS), ath_date: textOrNull(usd, 'ath_date') } },
  };
}

function numbers<const Names extends readonly string[]>(source: JsonObject, names: Names): Numbers<Names> {
  // The entries are exactly the names.
  return Object.fromEntries(names.map((name) => [name, numberOrNull(source, name)])) as Numbers<Names>;
}
