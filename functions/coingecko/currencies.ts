/** The currencies that answers may be in: the US dollar, those of the ECB, and coins that CoinGecko quotes in. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Origin } from '../../shared/marketdata/provenance.ts';
import { currentRates, type EuroRates } from '../../shared/marketdata/rates.ts';
import { type PastRates, pastRates } from '../../shared/marketdata/rates-history.ts';
import { currencyCodes, worthOfCurrency } from '../../shared/marketdata/serve/convert.ts';
import { published } from '../../shared/marketdata/serve/current.ts';
import { currentSnapshot } from '../../shared/marketdata/store/current-snapshot.ts';
import type { Snapshot } from '../../shared/marketdata/store/snapshot.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { required } from './request.ts';

/** Coins that CoinGecko quotes in, by their codes there, and two parts of a bitcoin. */
const UNITS: Readonly<Record<string, readonly [ours: string, parts: number]>> = {
  btc: ['btc-bitcoin', 1],
  eth: ['eth-ethereum', 1],
  ltc: ['ltc-litecoin', 1],
  bch: ['bch-bitcoin-cash', 1],
  bnb: ['bnb-binance-coin', 1],
  eos: ['eos-eos', 1],
  xrp: ['xrp-xrp', 1],
  xlm: ['xlm-stellar', 1],
  link: ['link-chainlink', 1],
  dot: ['dot-polkadot', 1],
  yfi: ['yfi-yearnfinance', 1],
  sol: ['sol-solana', 1],
  bits: ['btc-bitcoin', 1e6],
  sats: ['btc-bitcoin', 1e8],
};

/** The changes that tickers have, by CoinGecko's names of their times. */
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
  /** How much of it a US dollar is now. */
  readonly perDollar: number;
  /** Undefined for the dollar. */
  readonly origin: Origin | undefined;
  /** A coin's id of ours, and the parts that it is counted in; undefined for other currencies. */
  readonly unit: { readonly id: string; readonly parts: number } | undefined;
  /** How much of it a US dollar was then (ms since the epoch); undefined for a coin, and if it is not known. */
  perDollarAt(time: number): number | undefined;
  /** A change in US dollars, in percent, as one in this currency; null if that is not known. */
  changeIn(time: Change, ticker: Ticker): number | null;
}

interface Known {
  readonly rates: EuroRates | undefined;
  readonly past: PastRates | undefined;
  readonly snapshot: Snapshot | undefined;
  readonly now: number;
}

/** The currencies that can be answered in now. */
export interface Currencies {
  /** Undefined for a code that is none, or of which nobody knows what it is worth. */
  of(code: string): Currency | undefined;
  readonly all: () => Currency[];
}

export async function currencies(environment: Environment): Promise<Currencies> {
  const [rates, past, snapshot] = await Promise.all([
    currentRates(environment),
    pastRates(environment),
    currentSnapshot(environment),
  ]);
  const known: Known = { rates, past, snapshot, now: Date.now() };
  const of = (code: string) => currencyOf(code.toLowerCase(), known);
  const codes = () => [...currencyCodes(rates).map((code) => code.toLowerCase()), ...Object.keys(UNITS)];
  return { of, all: () => codes().flatMap((code) => of(code) ?? []) };
}

/** The currency that the query asks for. Throws 422 without one, and 400 for one that cannot be answered in. */
export async function wantedCurrency({ query, environment }: AdapterRequest): Promise<Currency> {
  const code = required(query, 'vs_currency');
  const currency = (await currencies(environment)).of(code);
  if (!currency) throw new ApiError(400, 'invalid vs_currency');
  return currency;
}

function currencyOf(code: string, { rates, past, snapshot, now }: Known): Currency | undefined {
  if (code === 'usd')
    return {
      code,
      perDollar: 1,
      origin: undefined,
      unit: undefined,
      perDollarAt: () => 1,
      changeIn: (time, ticker) => ticker.quotes.USD[changes[time].field],
    };
  const unit = Object.hasOwn(UNITS, code) ? UNITS[code] : undefined;
  return unit ? coinUnit(code, unit, snapshot, now) : fiat(code, { rates, past, now });
}

function coinUnit(
  code: string,
  [id, parts]: readonly [string, number],
  snapshot: Snapshot | undefined,
  now: number,
): Currency | undefined {
  const current = published(snapshot, id, now);
  const price = current?.ticker.quotes.USD.price ?? 0;
  if (!current || price <= 0) return undefined;
  return {
    code,
    perDollar: parts / price,
    origin: current,
    unit: { id, parts },
    perDollarAt: () => undefined,
    changeIn(time, ticker) {
      const { field } = changes[time];
      return relative(ticker.quotes.USD[field], current.ticker.quotes.USD[field]);
    },
  };
}

function fiat(
  code: string,
  { rates, past, now }: Pick<Known, 'rates' | 'past' | 'now'>,
): Currency | undefined {
  const capitals = code.toUpperCase();
  if (!rates || (capitals !== 'EUR' && !Object.hasOwn(rates.rates, capitals))) return undefined;
  const { usd, per, origin } = worthOfCurrency(capitals, rates, now);
  const perDollar = Number(per) / Number(usd);
  const perDollarAt = (time: number) => past?.perDollar(capitals, time);
  return {
    code,
    perDollar,
    origin,
    unit: undefined,
    perDollarAt,
    changeIn(time, ticker) {
      const { field, ms } = changes[time];
      const before = perDollarAt(now - ms);
      // The currency's own change against the dollar is that of the dollar in it, turned around.
      return before ? relative(ticker.quotes.USD[field], (before / perDollar - 1) * 100) : null;
    },
  };
}

/** A change in dollars as one in what has itself changed in dollars; in percent. */
function relative(change: number | null, ofUnit: number | null): number | null {
  if (change === null || ofUnit === null || ofUnit <= -100) return null;
  return ((1 + change / 100) / (1 + ofUnit / 100) - 1) * 100;
}
