/** The currencies of responses: the US dollar, those with a reference rate, and coins that CoinGecko quotes in. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { type PastRates, pastRates } from '../../shared/marketdata/past-rates.ts';
import type { Origin } from '../../shared/marketdata/provenance.ts';
import { currentRates, type EuroRates } from '../../shared/marketdata/rates.ts';
import { currencyCodes, worthOfCurrency } from '../../shared/marketdata/serve/convert.ts';
import type { CurrentTicker } from '../../shared/marketdata/serve/current-ticker.ts';
import { pricesNow } from '../../shared/marketdata/serve/price-now.ts';
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

export interface Currency {
  readonly code: string;
  /** Its units in a US dollar now. */
  readonly perDollar: number;
  /** Undefined for the dollar. */
  readonly origin: Origin | undefined;
  /** The unit, if candles may be quoted in this coin; undefined for other currencies. */
  readonly unit: Unit | undefined;
  /** Its units in a US dollar at a time (ms since the epoch); undefined for a coin, and if unknown. */
  perDollarAt(time: number): number | undefined;
  /** Converts a change in US dollars to one in this currency, in percent; null if unknown. */
  changeIn(time: Change, ticker: Ticker): number | null;
}

/** The currencies of the codes, or all, that are available now. */
export async function currencies(environment: Environment, codes?: readonly string[]): Promise<Currency[]> {
  const wanted = codes?.map((code) => code.toLowerCase());
  const isOfCoins = wanted?.every((code) => code === 'usd' || UNITS.has(code));
  const units = [...new Set((wanted ?? [...UNITS.keys()]).flatMap((code) => UNITS.get(code)?.id ?? []))];
  const [prices, rates, past] = await Promise.all([
    pricesNow(environment, units, 'shown'),
    isOfCoins ? undefined : currentRates(environment),
    isOfCoins ? undefined : pastRates(environment),
  ]);
  const now = Date.now();
  const known = wanted ?? [...currencyCodes(rates).map((code) => code.toLowerCase()), ...UNITS.keys()];
  return known.flatMap((code) => {
    if (code === 'usd') return dollar;
    const unit = UNITS.get(code);
    const price = unit && prices[units.indexOf(unit.id)];
    return (unit ? coinUnit(code, unit, price) : fiat(code, rates, past, now)) ?? [];
  });
}

/** The currency of the query. Throws 422 without one, and 400 for an unavailable one. */
export async function wantedCurrency({ query, environment }: AdapterRequest): Promise<Currency> {
  const [currency] = await currencies(environment, [required(query, 'vs_currency')]);
  if (!currency) throw new ApiError(400, 'invalid vs_currency');
  return currency;
}

const dollar: Currency = {
  ...{ code: 'usd', perDollar: 1, origin: undefined, unit: undefined },
  perDollarAt: () => 1,
  changeIn: (time, ticker) => ticker.quotes.USD[changes[time].field],
};

function coinUnit(code: string, unit: Unit, origin: CurrentTicker | undefined): Currency | undefined {
  const price = origin?.ticker.quotes.USD.price;
  if (!origin || !price) return undefined;
  return {
    ...{ code, origin, unit, perDollar: unit.parts / price },
    perDollarAt: () => undefined,
    changeIn: (time, ticker) => relative(dollar.changeIn(time, ticker), dollar.changeIn(time, origin.ticker)),
  };
}

function fiat(
  code: string,
  rates: EuroRates | undefined,
  past: PastRates | undefined,
  now: number,
): Currency | undefined {
  const capitals = code.toUpperCase();
  if (!rates || (capitals !== 'EUR' && !Object.hasOwn(rates.rates, capitals))) return undefined;
  const { usd, per, origin } = worthOfCurrency(capitals, rates, now);
  const perDollar = Number(per) / Number(usd);
  const perDollarAt = (time: number) => past?.perDollar(capitals, time);
  return {
    ...{ code, origin, unit: undefined, perDollar, perDollarAt },
    changeIn(time, ticker) {
      const before = perDollarAt(now - changes[time].ms);
      // The currency's own change in dollars is the inverse of the dollar's change in it.
      return before ? relative(dollar.changeIn(time, ticker), (before / perDollar - 1) * 100) : null;
    },
  };
}

/** Converts a change in dollars, in percent, to one in a unit that has itself changed in dollars. */
function relative(change: number | null, ofUnit: number | null): number | null {
  if (change === null || ofUnit === null || ofUnit <= -100) return null;
  return ((1 + change / 100) / (1 + ofUnit / 100) - 1) * 100;
}
