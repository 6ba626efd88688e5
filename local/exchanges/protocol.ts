import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../provider/answer.ts';

/** A GET of a simulated exchange. */
export interface Asked {
  /** Below the host, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** When it came, for limits; milliseconds since the epoch. */
  readonly atMs: number;
  /** The time of all figures, in whole seconds: then, unless a lie tells those of another time. */
  readonly nowMs: number;
}

/** What differs from one exchange to the next. */
export interface ExchangeProtocol {
  answer(asked: Asked): Answer;
  /** The error that goes with a status. */
  failure(status: number): Answer;
  /** More than the exchange allows. */
  limited(): Answer;
  /** For lies about identity; undefined if no request names a market or a token. */
  readonly named?: Named;
}

export interface Named {
  /** Its first group is where a request has names, with commas between them. */
  readonly pattern: RegExp;
  /** Of open markets, or of tokens; each is the same in requests and in answers. */
  ids(): readonly string[];
}

export function json(data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(data),
  };
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

/** The answer, or that of the error that refuses it. */
export function attempt(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

/** A whole number; undefined for anything else, and for none. */
export function integerOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** With so many digits behind the point, and no exponent. */
export function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}
