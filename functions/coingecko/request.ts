/** Parameters as CoinGecko's clients send them: some are unknown, some are the text `undefined`, lists are encoded or not. */
import { ApiError } from '../../shared/http/errors.ts';

/** Most coins that one request may name. */
export const MAX_COINS = 250;
/** Figures of a price below one dollar, where nobody says how many. */
const SMALL_FIGURES = 6;

/** `full`: as it is; undefined: by its size. */
export type Precision = number | 'full' | undefined;

/** Undefined also for an empty one, and for `undefined`, which clients send for what their caller left out. */
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
  const text = parameter(query, name);
  if (text === undefined) return undefined;
  const items = text.split(',').map((item) => item.trim());
  const once = [...new Set(items.filter((item) => item !== ''))];
  if (once.length > MAX_COINS)
    throw new ApiError(422, `Too many ${name}: ${once.length}; allowed: ${MAX_COINS}`);
  return once;
}

export function flag(query: URLSearchParams, name: string, otherwise = false): boolean {
  return (parameter(query, name) ?? String(otherwise)) === 'true';
}

/** An integer within bounds; one beyond them is the nearest that is allowed. */
export function count(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const given = Number(parameter(query, name) ?? otherwise);
  return Number.isFinite(given) ? Math.min(most, Math.max(1, Math.floor(given))) : otherwise;
}

/** Throws 400 for what is neither `full` nor a number of decimals from 0 to 18. */
export function precisionOf(query: URLSearchParams): Precision {
  const text = parameter(query, 'precision');
  if (text === undefined || text === 'full') return text;
  if (/^(\d|1[0-8])$/.test(text)) return Number(text);
  throw new ApiError(400, `invalid precision: ${text}; allowed: full, 0 to 18`);
}

/** A price with as many decimals as asked for; else two from one dollar on, and six figures below. */
export function rounded(price: number, precision: Precision): number {
  if (precision === 'full' || !Number.isFinite(price)) return price;
  if (precision !== undefined) return Number(price.toFixed(precision));
  return Math.abs(price) >= 1 ? Number(price.toFixed(2)) : Number(price.toPrecision(SMALL_FIGURES));
}

/** A moment in unix seconds or as an ISO date; milliseconds since the epoch. Throws 422 or 400. */
export function moment(query: URLSearchParams, name: string): number {
  const text = required(query, name);
  const at = /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1000 : isoTime(text);
  if (at !== undefined) return at;
  throw new ApiError(
    400,
    `invalid ${name}: ${text.slice(0, 40)}; allowed: unix seconds, or YYYY-MM-DDTHH:MM`,
  );
}

function isoTime(text: string): number | undefined {
  const [, day, time = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?Z?)?$/.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}${seconds}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** The beginning of a day, `dd-mm-yyyy` or `yyyy-mm-dd`, in milliseconds since the epoch. Throws 422 or 400. */
export function day(query: URLSearchParams, name: string): number {
  const text = required(query, name);
  const [, date, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  const iso = year ? `${year}-${month}-${date}` : text;
  const at = /^\d{4}-\d\d-\d\d$/.test(iso) ? Date.parse(iso) : Number.NaN;
  // A day that no month has, such as the 31st of June, is another one to the parser.
  if (new Date(at).getTime() === at && new Date(at).toISOString().startsWith(iso)) return at;
  throw new ApiError(400, `invalid ${name}: ${text.slice(0, 40)}; allowed: dd-mm-yyyy, yyyy-mm-dd`);
}
