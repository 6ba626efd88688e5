/** What the simulated protocols have in common: a request, an answer, and what differs from one to the next. */
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';

export interface Request {
  /** Below the source's base URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The time of all figures, a whole second in milliseconds since the epoch; a lie may repeat another day's answer. */
  readonly nowMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the body says, for lies to change; undefined if it is a plain text. */
  readonly data?: unknown;
}

/** A source: one file has its routes, its rows and its errors. */
export interface Protocol {
  /** The proper answer, which follows from the request alone. */
  answer(request: Request): Answer;
  /**
   * The answer to one request too many, or to a key that is no good; undefined lets the request pass. It came at `atMs`,
   * and is the `made`th since the start.
   */
  refuse?(request: Request, atMs: number, made: number): Answer | undefined;
  /** The error that goes with a status. */
  failure(status: number): Answer;
  /** More than the source allows; `failure(429)` unless it has a word of its own. */
  limited?(): Answer;
  /** Of every answer. */
  headers?(): Readonly<Record<string, string>>;
  /** The text of data that is no JSON. */
  write?(data: unknown): string;
  /** For lies about identity: the first group of the pattern is where a request names coins, with commas between. */
  readonly named?: { readonly pattern: RegExp; readonly names: () => readonly string[] };
}

/** A request that is answered with an error. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(answer.body);
    this.answer = answer;
  }
}

export function json(data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  const all = { 'Content-Type': 'application/json; charset=utf-8', ...headers };
  return { status, headers: all, body: JSON.stringify(data), data };
}

export function plain(status: number, body: string, contentType = 'text/plain'): Answer {
  return { status, headers: { 'Content-Type': contentType }, body };
}

/** The text of a status' error. */
export function statusText(status: number, tooMany: string): string {
  return status === 429 ? tooMany : (STATUS_CODES[status] ?? 'simulated fault');
}

/** The id in a segment of a path; a bad escape is an id of nothing. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A whole number; undefined for anything else, and for none. */
export function integerOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Says of each request whether it is within a limit of `burst` at once, restored at `perSecond`. */
export function burstLimit(perSecond: number, burst: number): (nowMs: number) => boolean {
  let left = burst;
  let lastMs = Number.POSITIVE_INFINITY;
  return function isWithin(nowMs) {
    if (perSecond === Infinity) return true;
    left = Math.min(left + (Math.max(nowMs - lastMs, 0) / 1000) * perSecond, burst);
    lastMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
