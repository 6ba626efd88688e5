/** Frankfurter's rates of all currencies: the latest ones, those of a day, and those of a range of days. */
import {
  currenciesIn,
  dayText,
  lastDay,
  otherFigures,
  PAST_MS,
  referenceFigures,
  type SimulatedCurrency,
} from './euro.ts';
import { DAY_MS } from './market.ts';
import { instantOf, json, type Protocol, Refused, statusText } from './protocol.ts';
import { seedOf, uniform } from './walk.ts';

const BASE = 'EUR';
/** The largest difference from the reference rate of the same day: rates are blended from those of several banks. */
const DIFFERENCE = 0.0005;
const DIGITS = 6;
/** Banks that publish on some days of the week only: their latest rates are of an earlier day. */
const RARE_DAYS = [1, 4];
const rare: readonly string[] = ['AFN', 'LYD', 'MMK'];
/** Currencies that did not exist before. */
const began: ReadonlyMap<string, number> = new Map([
  ['SLE', Date.UTC(2022, 6, 1)],
  ['XCG', Date.UTC(2025, 2, 31)],
  ['ZWG', Date.UTC(2024, 3, 8)],
]);
/** A rate this old is no longer one of the latest. */
const LATEST_MS = 14 * DAY_MS;
const allowed: readonly string[] = ['base', 'date', 'from', 'to', 'quotes'];

interface Currency extends SimulatedCurrency {
  /** The seed of its difference from the reference rate. */
  readonly difference: number;
}

interface Row {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}

export function frankfurter(seed: number): Protocol {
  const currencies: Currency[] = currenciesIn(`${referenceFigures} ${otherFigures}`, seed)
    .map((currency) => ({ ...currency, difference: seedOf(`${seed}/difference/${currency.code}`) }))
    .sort((a, b) => (a.code < b.code ? -1 : 1));
  const euro: Currency = { code: BASE, digits: 0, rateOn: () => 1, difference: 0 };
  const known = new Map([euro, ...currencies].map((currency) => [currency.code, currency]));

  const rateOf = ({ code, rateOn, difference }: Currency, dayMs: number) =>
    code === BASE ? 1 : rateOn(dayMs) * (1 + DIFFERENCE * (2 * uniform(difference, dayMs / DAY_MS) - 1));

  function rowOf(base: Currency, quote: Currency, dayMs: number): Row {
    const rate = rateOf(quote, dayMs) / rateOf(base, dayMs);
    return {
      date: dayText(dayMs),
      base: base.code,
      quote: quote.code,
      rate: Number(rate.toPrecision(DIGITS)),
    };
  }

  /** Throws for a code that is none. */
  function currenciesOf(text: string): Currency[] {
    const codes = text.toUpperCase().split(',');
    const unknown = codes.filter((code) => !known.has(code));
    if (unknown.length > 0) refuse(`invalid currency: ${unknown.join(',')}`);
    return codes.flatMap((code) => known.get(code) ?? []);
  }

  /** Of each currency its last rate by a day. */
  function latest(base: Currency, quotes: readonly Currency[], lastMs: number): Row[] {
    return quotes.flatMap((quote) => {
      for (let dayMs = lastMs; dayMs > lastMs - LATEST_MS; dayMs -= DAY_MS)
        if (isPublished(quote, dayMs)) return rowOf(base, quote, dayMs);
      return [];
    });
  }

  function range(base: Currency, quotes: readonly Currency[], fromMs: number, toMs: number): Row[] {
    const rows: Row[] = [];
    for (let dayMs = fromMs; dayMs <= toMs; dayMs += DAY_MS)
      for (const quote of quotes) if (isPublished(quote, dayMs)) rows.push(rowOf(base, quote, dayMs));
    return rows;
  }

  return {
    failure: (status) => json({ status, message: statusText(status, 'Too Many Requests') }, status),
    burst: 20,
    routes: {
      '/rates': ({ query, nowMs }) => {
        const wrong = [...query.keys()].filter((name) => !allowed.includes(name));
        if (wrong.length > 0) refuse(`unknown parameter: ${wrong.join(', ')}`);
        const [date, from, to] = ['date', 'from', 'to'].map((name) => dayOf(query.get(name)));
        if (date !== undefined && (from ?? to) !== undefined) refuse('conflicting params');
        const [base = euro] = currenciesOf(query.get('base') ?? BASE);
        const wanted = query.get('quotes');
        const quotes = wanted === null ? [...known.values()] : currenciesOf(wanted);
        quotes.sort((a, b) => (a.code < b.code ? -1 : 1));
        const lastMs = lastDay(nowMs, seed);
        if (from === undefined) return latest(base, quotes, Math.min(date ?? lastMs, lastMs));
        const firstMs = Math.ceil((nowMs - PAST_MS) / DAY_MS) * DAY_MS;
        return range(base, quotes, Math.max(from, firstMs), Math.min(to ?? lastMs, lastMs));
      },
    },
  };
}

function isPublished({ code }: Currency, dayMs: number): boolean {
  const weekday = new Date(dayMs).getUTCDay();
  if (rare.includes(code) && !RARE_DAYS.includes(weekday)) return false;
  return weekday !== 0 && weekday !== 6 && dayMs >= (began.get(code) ?? 0);
}

/** The beginning of a day; undefined without a text. Throws for anything but a day that exists. */
function dayOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? instantOf(text) : Number.NaN;
  return Number.isNaN(ms) ? refuse('invalid date') : ms;
}

function refuse(message: string): never {
  throw new Refused(json({ status: 422, message }, 422));
}
