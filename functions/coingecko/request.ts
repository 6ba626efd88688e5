/** Parameters as CoinGecko's clients send them, and failures as its API reports them. */
import { ApiError } from '../../shared/http/errors.ts';
import type { AdapterShape } from '../../shared/http/middleware/envelope.ts';
import { parseInstant } from '../../shared/platform/instant.ts';

/** The largest number of coins in one request. */
export const MAX_COINS = 250;
/** Figures of a price below one dollar, unless the caller specifies them. */
const SMALL_FIGURES = 6;
/** CoinGecko's code for a request without a valid key. */
const NO_KEY = 10_002;

export const shape: AdapterShape = {
  failure(status, message) {
    if (status !== 401 && status !== 429) return { error: message };
    return { status: { error_code: status === 401 ? NO_KEY : status, error_message: message } };
  },

  /** The limit under the names that CoinGecko's clients read. */
  headersOf({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': seconds }) {
    const names: Record<string, string> = {};
    if (limit === undefined || remaining === undefined || seconds === undefined) return names;
    const [day, time] = new Date(Date.now() + Number(seconds) * 1000).toISOString().split(/[T.]/);
    return {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': `${day} ${time} +0000`,
    };
  },
};

/** Decimals of a price; `full`: all of them; undefined: by its size. */
export type Precision = number | 'full' | undefined;

/** A parameter's text; undefined if it is missing, empty, or a text that clients send for an omitted one. */
export function parameter(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)?.trim();
  return text === '' || text === 'undefined' || text === 'null' ? undefined : text;
}

/** Throws 422 if it is missing. */
export function required(query: URLSearchParams, name: string): string {
  const text = parameter(query, name);
  if (text === undefined) throw new ApiError(422, `Missing parameter ${name}`);
  return text;
}

/** The items of a list, each once; undefined without one. Throws 422 for more than `MAX_COINS`. */
export function list(query: URLSearchParams, name: string): string[] | undefined {
  const items = parameter(query, name)
    ?.split(',')
    .map((item) => item.trim());
  if (!items) return undefined;
  const once = [...new Set(items.filter((item) => item !== ''))];
  if (once.length > MAX_COINS)
    throw new ApiError(422, `Too many ${name}: ${once.length}; allowed: ${MAX_COINS}`);
  return once;
}

export function flag(query: URLSearchParams, name: string, otherwise = false): boolean {
  return (parameter(query, name) ?? String(otherwise)) === 'true';
}

/** A whole number of at least 1; one out of bounds is replaced by the nearest allowed one. */
export function count(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const given = Number(parameter(query, name) ?? otherwise);
  return Number.isFinite(given) ? Math.min(most, Math.max(1, Math.floor(given))) : otherwise;
}

export function precisionOf(query: URLSearchParams): Precision {
  const text = parameter(query, 'precision');
  if (text === undefined || text === 'full') return text;
  if (/^(\d|1[0-8])$/.test(text)) return Number(text);
  throw invalid('precision', text, 'full, 0 to 18');
}

/** A price rounded to the precision; by default to two decimals from one dollar on, and to six figures below. */
export function rounded(price: number, precision: Precision): number {
  if (precision === 'full') return price;
  if (precision !== undefined) return Number(price.toFixed(precision));
  return Math.abs(price) >= 1 ? Number(price.toFixed(2)) : Number(price.toPrecision(SMALL_FIGURES));
}

/** Unix seconds or an ISO date, in milliseconds since the epoch. */
export function moment(query: URLSearchParams, name: string): number {
  const text = required(query, name);
  const at = /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1000 : utc(text);
  if (at !== undefined) return at;
  throw invalid(name, text, 'unix seconds, or YYYY-MM-DDTHH:MM');
}

/** The beginning of a day, `dd-mm-yyyy` or `yyyy-mm-dd`, in milliseconds since the epoch. */
export function day(query: URLSearchParams, name: string): number {
  const text = required(query, name);
  const iso = text.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1');
  const at = /^\d{4}-\d\d-\d\d$/.test(iso) ? utc(iso) : undefined;
  if (at !== undefined) return at;
  throw invalid(name, text, 'dd-mm-yyyy, yyyy-mm-dd');
}

/** A blank may separate date and time. */
function utc(text: string): number | undefined {
  return parseInstant(text.replace(' ', 'T'))?.first;
}

export function invalid(name: string, text: string, allowed: string): ApiError {
  return new ApiError(400, `invalid ${name}: ${text.slice(0, 40)}; allowed: ${allowed}`);
}
