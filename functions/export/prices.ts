/** Current prices of a list of coins, from the store only. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { InputOf } from '../../shared/http/route.ts';
import { jointOrigin, type Provenance, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { pricesNow } from '../../shared/marketdata/serve/price-now.ts';
import { inCurrency } from '../../shared/marketdata/serve/unit-rate.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import type { route } from './api/route.ts';
import { numberText, timeText } from './formats/content.ts';
import { csvText } from './formats/csv.ts';
import type { LedgerFormat, LedgerPrice } from './formats/ledgers.ts';
import { prometheusText } from './formats/prometheus.ts';
import {
  type NamedCoin,
  type NamedQuote,
  namedCoins,
  namedQuote,
  type QuoteRate,
  rateOfQuote,
  spelledNames,
} from './named.ts';

export type ExportRequest = AdapterRequest<InputOf<typeof route>>;

/** A coin's figures as decimal texts in the quote's currency; empty for a coin without a ticker. */
interface PricedCoin extends NamedCoin {
  readonly ticker?: Ticker;
  readonly price?: string | undefined;
  readonly marketCap?: string | undefined;
  readonly volume?: string | undefined;
  /** When the price was made; milliseconds since the epoch. */
  readonly at?: number;
  /** The origin of the price and the exchange rate together. */
  readonly origin?: Provenance | undefined;
}

interface Prices {
  readonly quote: NamedQuote;
  readonly coins: readonly PricedCoin[];
}

/** The change of the price in US dollars, whatever the quote: another currency's earlier value is not stored. */
const changes = {
  percent_change_1h_usd: 'percent_change_1h',
  percent_change_24h_usd: 'percent_change_24h',
  percent_change_7d_usd: 'percent_change_7d',
  percent_change_30d_usd: 'percent_change_30d',
  percent_change_1y_usd: 'percent_change_1y',
} as const;

export async function pricesCsv(request: ExportRequest): Promise<string> {
  const { coins } = await pricesOf(request);
  const columns = ['id', 'symbol', 'name', 'price', 'market_cap', 'volume_24h', ...Object.keys(changes)];
  return csvText(
    [...columns, 'rank', 'quality', 'source', 'time'],
    coins.map(({ coin, name, ticker, price, marketCap, volume, at, origin }) => [
      coin.id,
      name,
      coin.name,
      price,
      marketCap,
      volume,
      ...Object.values(changes).map((field) => numberText(ticker?.quotes.USD[field])),
      numberText(ticker?.rank || undefined),
      origin?.quality,
      origin?.source,
      at === undefined ? undefined : timeText(at),
    ]),
  );
}

export async function pricesLedger(request: ExportRequest, format: LedgerFormat): Promise<string> {
  const { quote, coins } = await pricesOf(request);
  const names = spelledNames(coins, quote, format.spell);
  const prices = coins.flatMap((priced): LedgerPrice[] => {
    const { price, at, origin } = priced;
    if (price === undefined || at === undefined || !origin) return [];
    const { quality, source } = origin;
    return [{ commodity: names.of(priced), at, price, quality, source }];
  });
  return format.text({ quote: names.quote, prices, remarks: await remarksOf(coins, request.environment) });
}

export async function pricesPrometheus(request: ExportRequest): Promise<string> {
  const { quote, coins } = await pricesOf(request);
  const gauge = (name: string, help: string, valueIn: (priced: PricedCoin) => string | undefined) => ({
    name: `marketdata_${name}`,
    help,
    samples: coins.map((priced) => {
      const { coin, name: symbol, origin } = priced;
      const { quality = '', source = '' } = origin ?? {};
      return { labels: { id: coin.id, symbol, quote: quote.code, quality, source }, value: valueIn(priced) };
    }),
  });
  const gauges = [
    gauge('price', 'Price of one coin, in the quote currency.', ({ price }) => price),
    gauge('market_cap', 'Market capitalization, in the quote currency.', ({ marketCap }) => marketCap),
    gauge('volume_24h', 'Volume traded in 24 hours, in the quote currency.', ({ volume }) => volume),
    // An age would be wrong by the time that a cache stores the response.
    gauge(
      'timestamp_seconds',
      'When the source made the figures; their age is time() minus this.',
      ({ at }) => numberText(at === undefined ? at : at / 1000),
    ),
  ];
  return prometheusText(gauges, await remarksOf(coins, request.environment));
}

async function pricesOf({ input, query, environment, headers }: ExportRequest): Promise<Prices> {
  for (const name of ['start', 'end', 'interval'])
    if (query.has(name)) throw new ApiError(400, `Unknown parameter: ${name}. Prices accept ids, quote`);
  const quote = namedQuote(input.quote);
  const rate = await rateOfQuote(quote, environment);
  const named = await namedCoins(input.ids, environment);
  const ids = named.map(({ coin }) => coin.id);
  const tickers = await pricesNow(environment, ids, 'shown');
  const coins = named.map((coin, index) => pricedCoin(coin, tickers[index], rate));
  headers['cache-control'] = publicFor(0); // caches may not store a response without a price
  setOriginHeaders(headers, jointOrigin(coins.map(({ origin }) => origin)));
  return { quote, coins };
}

function pricedCoin(named: NamedCoin, current: CurrentTicker | undefined, rate: QuoteRate): PricedCoin {
  if (!current) return named;
  const { ticker, madeAt } = current;
  const { price, market_cap, volume_24h } = ticker.quotes.USD;
  const inQuote = (dollars: number | null) => numberText(inCurrency(dollars, rate));
  return {
    ...named,
    ticker,
    price: inQuote(price || null), // a price of 0 is none
    marketCap: inQuote(market_cap),
    volume: inQuote(volume_24h),
    at: madeAt,
    origin: jointOrigin([current, rate.origin]),
  };
}

/** Loaded for the formats that have comments. */
async function remarksOf(coins: readonly PricedCoin[], environment: Environment): Promise<string[]> {
  const missing = coins.filter(({ price }) => price === undefined);
  return (await import('./remarks.ts')).priceRemarks(coins, missing, environment);
}
