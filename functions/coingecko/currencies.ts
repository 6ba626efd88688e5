/** The currencies of responses: the US dollar, those with a reference rate, and coins that CoinGecko quotes in. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { currencyOf } from '../../shared/marketdata/currencies.ts';
import { type PastRates, pastRates, RECENT } from '../../shared/marketdata/past-rates.ts';
import type { Provenance } from '../../shared/marketdata/provenance.ts';
import { currentRates } from '../../shared/marketdata/rates.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { pricesNow } from '../../shared/marketdata/serve/price-now.ts';
import { type CurrencyRate, originOf, rateNow } from '../../shared/marketdata/serve/rate-now.ts';
import { DOLLARS, digitsOf, type UnitRate } from '../../shared/marketdata/serve/unit-rate.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { required } from './request.ts';

interface Unit {
  /** Our id. */
  readonly id: string;
  /** The number of units in a coin. */
  readonly parts: number;
}

/** Coins by the codes that CoinGecko quotes in. */
const UNITS = new Map<string, Unit>(
  Object.entries({
    btc: 'btc-bitcoin',
    eth: 'eth-ethereum',
    ltc: 'ltc-litecoin',
    bch: 'bch-bitcoin-cash',
    bnb: 'bnb-binance-coin',
    eos: 'eos-eos',
    xrp: 'xrp-xrp',
    xlm: 'xlm-stellar',
    link: 'link-chainlink',
    dot: 'dot-polkadot',
    yfi: 'yfi-yearnfinance',
    sol: 'sol-solana',
    bits: 'btc-bitcoin',
    sats: 'btc-bitcoin',
  }).map(([code, id]) => [code, { id, parts: { bits: 1e6, sats: 1e8 }[code] ?? 1 }]),
);

/** The changes in tickers, by CoinGecko's names of their periods. */
export const changes = {
  '1h': { field: 'percent_change_1h', ms: HOUR_MS },
  '24h': { field: 'percent_change_24h', ms: DAY_MS },
  '7d': { field: 'percent_change_7d', ms: 7 * DAY_MS },
  '30d': { field: 'percent_change_30d', ms: 30 * DAY_MS },
  '1y': { field: 'percent_change_1y', ms: 365 * DAY_MS },
} as const;
export type Change = keyof typeof changes;

export interface Currency extends UnitRate {
  readonly code: string;
  /** Of its rate or price now; undefined for the dollar. */
  readonly origin: Provenance | undefined;
  /** The unit, if candles may be quoted in this coin; undefined for other currencies. */
  readonly unit: Unit | undefined;
  /** Converts a change in US dollars to one in this currency, in percent; null if unknown. */
  changeIn(time: Change, ticker: Ticker): number | null;
}

/** The currencies of the codes, or all, that are available now. Throws 503 if a named one has no rate. */
export async function currencies(environment: Environment, codes?: readonly string[]): Promise<Currency[]> {
  const wanted = codes?.map((code) => code.toLowerCase());
  const isOfCoins = wanted?.every((code) => code === 'usd' || UNITS.has(code));
  const units = [...new Set((wanted ?? [...UNITS.keys()]).flatMap((code) => UNITS.get(code)?.id ?? []))];
  const [prices, rates, past] = await Promise.all([
    pricesNow(environment, units, 'shown'),
    isOfCoins ? undefined : currentRates(environment),
    isOfCoins ? undefined : pastRates(environment, RECENT),
  ]);
  const now = Date.now();
  const rated = new Set(['EUR', ...Object.keys(rates?.rates ?? {})]);
  const known = wanted ?? [
    ...(rates ? [...rated].sort() : ['USD']).map((code) => code.toLowerCase()),
    ...UNITS.keys(),
  ];
  return known.flatMap((code) => {
    if (code === 'usd') return dollar;
    const unit = UNITS.get(code);
    if (unit) return coinUnit(code, unit, prices[units.indexOf(unit.id)]) ?? [];
    const capitals = currencyOf(code);
    return capitals === undefined ? [] : fiat(capitals, rateNow(capitals, rates, now), past, now);
  });
}

/** The currency of the query. Throws 422 without one, 400 for an unknown one, and 503 for one that has no rate now. */
export async function wantedCurrency({ query, environment }: AdapterRequest): Promise<Currency> {
  const [currency] = await currencies(environment, [required(query, 'vs_currency')]);
  if (!currency) throw new ApiError(400, 'invalid vs_currency');
  return currency;
}

const dollar: Currency = {
  ...{ ...DOLLARS, code: 'usd', origin: undefined, unit: undefined },
  changeIn: (time, ticker) => ticker.quotes.USD[changes[time].field],
};

function coinUnit(code: string, unit: Unit, origin: CurrentTicker | undefined): Currency | undefined {
  const price = origin?.ticker.quotes.USD.price;
  if (!origin || !price) return undefined;
  return {
    ...{ code, origin, unit, perDollar: unit.parts / price, digits: digitsOf(price) },
    changeIn: (time, ticker) => relative(dollar.changeIn(time, ticker), dollar.changeIn(time, origin.ticker)),
  };
}

function fiat(capitals: string, rate: CurrencyRate, past: PastRates | undefined, now: number): Currency {
  const { perDollar, digits } = rate;
  return {
    ...{ code: capitals.toLowerCase(), perDollar, digits, origin: originOf(rate, now), unit: undefined },
    changeIn(time, ticker) {
      const known = past?.at(capitals, now - changes[time].ms);
      // The currency's own change in dollars is the inverse of the dollar's change in it.
      const before = known && Number(known.per) / Number(known.usd);
      return before ? relative(dollar.changeIn(time, ticker), (before / perDollar - 1) * 100) : null;
    },
  };
}

/** Converts a change in dollars, in percent, to one in a unit that has itself changed in dollars. */
function relative(change: number | null, ofUnit: number | null): number | null {
  if (change === null || ofUnit === null || ofUnit <= -100) return null;
  return ((1 + change / 100) / (1 + ofUnit / 100) - 1) * 100;
}
