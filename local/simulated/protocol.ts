/** What the simulated protocols share: requests, responses, a table of routes, and rate limits. */
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';

export interface Request {
  /** The path below the source's base URL, without the query. */
  readonly path: string;
  /** The parameters in the path, decoded, as the route names them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The time of all figures, a whole second in milliseconds since the epoch; a lie may repeat another day's answer. */
  readonly nowMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body's content, for lies to change; undefined for a plain text. */
  readonly data?: unknown;
}

/** A source: one file has its routes, its rows and its errors. */
export interface Protocol {
  /** The routes by path, with its parameters in braces: each returns the data of the proper answer, or a `Refused`. */
  readonly routes: Readonly<Record<string, (request: Request) => unknown>>;
  /** The answer with a route's data; JSON by default. */
  readonly respond?: (data: unknown, request: Request) => Answer;
  /** The error for a status. */
  readonly failure: (status: number) => Answer;
  /** The error for an unknown path; `failure(404)` by default. */
  readonly unknown?: () => Answer;
  /** The error beyond the source's limit; `failure(429)` by default. */
  readonly limited?: () => Answer;
  /** The most requests at once within the limit a second; without it the protocol has its own limit. */
  readonly burst?: number;
  /**
   * The refusal of a request beyond a limit or with a bad key; undefined accepts it. It was sent at `atMs`, as number
   * `made` since the start.
   */
  readonly refuse?: (request: Request, atMs: number, made: number) => Answer | undefined;
  /** The headers of every answer. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The text of data that is not JSON. */
  readonly write?: (data: unknown) => string;
  /** The coins that a request names, for lies about identity: the pattern's first group, separated by commas. */
  readonly named?: { readonly pattern: RegExp; readonly names: () => readonly string[] };
}

/** A request that gets an error. */
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

/** The text of a status's error. */
export function statusText(status: number, tooMany: string): string {
  return status === 429 ? tooMany : (STATUS_CODES[status] ?? 'simulated fault');
}

/** A whole number; undefined for anything else. */
export function integerOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Milliseconds since the epoch for ISO 8601, seconds, or a date, to which `ofDayMs` is added; NaN for anything else. */
export function instantOf(text: string, ofDayMs = 0): number {
  if (/^\d{1,11}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return Date.parse(text);
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` reads 2026-02-31 as the third of March.
  return new Date(ms || 0).toISOString().startsWith(text) ? ms + ofDayMs : Number.NaN;
}

/** A function that counts a request, and returns whether it is within `burst` at once, restored at `perSecond`. */
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
