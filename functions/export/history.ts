/** Past prices: of one coin, completed as in the route of candles, or of several, from the store only. */
import { publicFor } from '../../shared/http/cache-control.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { jointOrigin, provenanceOf, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import { BITCOIN } from '../../shared/marketdata/running.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import type { CurrencyRates } from '../../shared/marketdata/serve/currency-rates.ts';
import { MAX_BASE_CANDLES, windowOf } from '../../shared/marketdata/window.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { atMost } from '../../shared/platform/waiting.ts';
import { historyDemand } from '../../shared/providers/demand.ts';
import { numberText } from './formats/content.ts';
import { csvText } from './formats/csv.ts';
import type { LedgerFormat, LedgerPrice } from './formats/ledgers.ts';
import {
  currencyOfQuote,
  type NamedCoin,
  type NamedQuote,
  namedCoins,
  namedQuote,
  spelledNames,
} from './named.ts';
import type { ExportRequest } from './prices.ts';

/** A year of daily candles for this many coins is 1 MB. */
const MAX_COINS = 20;
const COINS_AT_ONCE = 8;

interface CoinHistory extends NamedCoin {
  readonly chart: Chart;
}

interface History {
  readonly quote: NamedQuote;
  readonly coins: readonly CoinHistory[];
}

export async function historyCsv(request: ExportRequest): Promise<string> {
  const { coins } = await historyOf(request);
  return csvText(
    ['id', 'time', 'open', 'high', 'low', 'close', 'volume', 'market_cap', 'quality', 'source'],
    coins.flatMap(({ coin, chart }) =>
      chart.candles.map(({ time_open, open, high, low, close, volume, market_cap, quality, source }) => [
        coin.id,
        time_open,
        ...[open, high, low, close, volume, market_cap].map(numberText),
        quality,
        source,
      ]),
    ),
  );
}

/** Each candle's close at its end: hledger and Beancount only use dates, and it is the last price of its day. */
export async function historyLedger(request: ExportRequest, format: LedgerFormat): Promise<string> {
  const { quote, coins } = await historyOf(request);
  const names = spelledNames(coins, quote, format.spell);
  const prices = coins.flatMap((named) =>
    named.chart.candles.flatMap(({ time_close, close, quality, source }): LedgerPrice[] => {
      const price = numberText(close);
      const at = Date.parse(time_close);
      return price === undefined ? [] : [{ commodity: names.of(named), at, price, quality, source }];
    }),
  );
  const missing = coins.filter(({ chart }) => chart.candles.length === 0);
  const { historyRemarks } = await import('./remarks.ts');
  const remarks = await historyRemarks(coins, missing, request.environment);
  return format.text({ quote: names.quote, prices, remarks });
}

async function historyOf(request: ExportRequest): Promise<History> {
  const { input, environment, headers } = request;
  const { ids, interval, start, end } = input;
  const quote = namedQuote(input.quote);
  const currency = currencyOfQuote(quote);
  if (ids.length > MAX_COINS) {
    const allowed = `1 to ${MAX_COINS}, separated by commas`;
    throw new ApiError(400, `Invalid parameter ids: ${ids.length} items; allowed: ${allowed}`);
  }
  const unit = currency === undefined ? BITCOIN : undefined;
  const rates = currency === undefined ? undefined : await ratesOf(currency, environment);
  const readRates = async () => rates;
  const window = windowOf({ interval, limit: MAX_BASE_CANDLES, start, end }, Date.now());
  const named = await namedCoins(ids, environment);
  const coins = await atMost(COINS_AT_ONCE, named, async ({ coin, name }): Promise<CoinHistory> => {
    const demand = historyDemand(request, coin);
    const options = named.length === 1 ? demand : { ...demand, open: undefined };
    return { coin, name, chart: await chart(environment, { id: coin.id, unit, readRates, window }, options) };
  });
  const charts = coins.map(({ chart }) => chart).filter(({ candles }) => candles.length > 0);
  headers['cache-control'] = publicFor(0); // caches may not keep an answer without a price
  setOriginHeaders(headers, jointOrigin(charts.map(provenanceOf)));
  return { quote, coins };
}

/** Loaded only for a file in another currency. */
async function ratesOf(currency: string, environment: Environment): Promise<CurrencyRates | undefined> {
  if (currency === 'USD') return undefined;
  const { currencyRates } = await import('../../shared/marketdata/serve/currency-rates.ts');
  return currencyRates(environment, currency);
}
