import { ApiError } from '../http/errors.ts';
import { Implausible } from '../marketdata/gate/implausible.ts';
import type { DayRates, Offering, PastRatesQuery } from '../marketdata/provider.ts';
import { ratesMadeAt } from '../marketdata/rates.ts';
import { array, numberOrNull, object, readRows, text } from '../platform/json-fields.ts';

const URL = 'https://api.frankfurter.dev/v2';
const BASE = 'EUR';
const LATEST = `/rates?base=${BASE}`;
/** The first day of the euro's rates. */
const FIRST_DAY = '1999-01-04';
/** The most decimals that a rate may have. */
const DECIMALS = 12;

interface Rate {
  readonly day: string;
  readonly code: string;
  readonly rate: string;
}

/**
 * Frankfurter's exchange rates of some 200 currencies and metals, blended from those of central banks; each has the day on which it
 * was last published (frankfurter.dev/docs). Anybody can run it: an instance of one's own serves as well.
 */
export const frankfurter = {
  name: 'frankfurter',
  title: 'Frankfurter',
  terms: {
    summary:
      'Free, without a key; abuse is throttled. Open source (MIT); its rates are those of the central banks that it names, for information.',
    url: 'https://frankfurter.dev',
  },
  isPaid: false,
  scheduledProbes: false,
  limits: {
    requestsPerSecond: 5, // it has no quota; the past takes 26 requests, once
    per: 'instance', // of one job, which never runs twice at a time
    rows: { candles: 0, prices: 0 },
    latest: { candles: 0, prices: 0 },
  },
  settings: { baseUrl: 'FRANKFURTER_BASE_URL' },
  probePath: `${LATEST}&quotes=USD`,
  endpoint: ({ FRANKFURTER_BASE_URL: configured }) => ({ baseUrl: configured ?? URL, headers: {} }),

  rates: () => ({ path: LATEST, read: readLatest, madeAt: ratesMadeAt }),
  // It refuses a request that names a currency unknown to it.
  pastRates: (query) => ({ path: LATEST + pastQuery(query), read: readPast }),
  refusal: ({ status }) => new ApiError(502, `Frankfurter answered ${status}`),
} as const satisfies Offering<'rates' | 'pastRates'>;

function pastQuery({ from, quotes }: PastRatesQuery = { from: FIRST_DAY, quotes: [] }): string {
  return `&from=${from}${quotes.length > 0 ? `&quotes=${quotes.join(',')}` : ''}`;
}

/** Throws Implausible for rates of another currency than the euro, and for a pair that is there twice. */
function readLatest(json: unknown): DayRates {
  const rows = readRates(json);
  const day = rows.map((row) => row.day).reduce((newest, one) => (one > newest ? one : newest), '');
  const rates = new Map<string, string>();
  for (const { code, rate } of rows) add(rates, code, rate);
  const days = rows.filter((row) => row.day !== day).map((row) => [row.code, row.day]);
  return {
    day,
    rates: Object.fromEntries(rates),
    ...(days.length > 0 && { days: Object.fromEntries(days) }),
  };
}

function readPast(json: unknown): DayRates[] {
  const days = new Map<string, Map<string, string>>();
  for (const { day, code, rate } of readRates(json)) {
    const rates = days.get(day) ?? new Map<string, string>();
    days.set(day, rates);
    add(rates, code, rate);
  }
  return [...days].map(([day, rates]) => ({ day, rates: Object.fromEntries(rates) }));
}

/** The rows of `[{"date":"2026-11-20","base":"EUR","quote":"UAH","rate":48.6},…]`, without the euro's own. */
function readRates(json: unknown): Rate[] {
  const rows = readRows(array(json, 'the answer'), (item) => {
    const row = object(item, 'a rate');
    const rate = numberOrNull(row, 'rate');
    if (rate === null) throw new Error('rate is missing');
    return [
      { day: text(row, 'date'), base: text(row, 'base'), code: text(row, 'quote'), rate: decimalText(rate) },
    ];
  });
  const other = rows.find(({ base }) => base !== BASE);
  if (other) throw new Implausible('Identity', `rates of one ${shown(other.base)} in place of one euro`);
  return rows.filter(({ code }) => code !== BASE);
}

function add(rates: Map<string, string>, code: string, rate: string): void {
  if (rates.has(code)) throw new Implausible('Identity', `${shown(code)} twice`);
  rates.set(code, rate);
}

/** The number's shortest text, but never with an exponent. */
function decimalText(value: number): string {
  const shortest = String(value);
  return /^\d+(?:\.\d{1,12})?$/.test(shortest) ? shortest : value.toFixed(DECIMALS).replace(/\.?0+$/, '');
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 20));
}
