/** Reads responses of providers: their data, the pauses that they demand, and the errors for callers. */
import { DEFAULT_PAUSE_MS, LONGEST_PAUSE_MS, limitedBy } from '../coordination/source-limits.ts';
import { ApiError } from '../http/errors.ts';
import { Implausible, OtherSymbol } from '../marketdata/gate/implausible.ts';
import {
  type AnswerFormat,
  type Expected,
  type MarketDataProvider,
  type ProviderRequest,
  type Received,
  UnknownSymbol,
  UnusableAnswer,
} from '../marketdata/provider.ts';
import { type HttpAnswer, retryAfterMs, TransportError } from '../platform/transport.ts';

export type Outcome = HttpAnswer | TransportError;

const MAX_RETRY_AFTER_MS = 3_600_000;
const json: AnswerFormat = { name: 'JSON', type: /[/+]json\b/i, parse: JSON.parse };
/** Some ban an address that ignores a 429, from two minutes to three days. */
const BANNED = 418;
const BAN_MS = { shortest: 120_000, longest: LONGEST_PAUSE_MS };
/** Refusals of the key, the address or its region, by the source or its firewall, and not of the single request. */
const REFUSES_CALLER = [401, 403, 451];

/** True for a response whose limit applies to every following request. */
export function asksForPause({ status }: HttpAnswer): boolean {
  return status === 429 || status === BANNED;
}

/**
 * The pause that a 429 demands, an hour at most, or the length of a ban, three days at most; 0 if a 429 names none, and for
 * everything else.
 */
export function pauseMsOf(outcome: Outcome): number {
  if (outcome instanceof TransportError || !asksForPause(outcome)) return 0;
  const demanded = retryAfterMs(outcome.headers['retry-after']);
  if (outcome.status === 429) return Math.min(demanded ?? 0, MAX_RETRY_AFTER_MS);
  return Math.min(demanded || BAN_MS.shortest, BAN_MS.longest);
}

/** True if the provider itself has trouble, so that any other request would fail as well. */
export function isTrouble(outcome: Outcome): boolean {
  if (outcome instanceof TransportError) return outcome.kind !== 'answer';
  return outcome.status >= 500 || REFUSES_CALLER.includes(outcome.status);
}

/** True if a response reports a reached limit, by a 429 or in the provider's own way. */
export function isLimit({ refusal }: MarketDataProvider, answer: HttpAnswer): boolean {
  const { status } = answer;
  return asksForPause(answer) || (status !== 200 && refusal(answer, {}).statusCode === 429);
}

/** The data in a response. Throws 429, 504, 502, UnusableAnswer, or the provider's own refusal. */
export function receivedFrom<T>(
  provider: MarketDataProvider,
  request: ProviderRequest<T>,
  outcome: Outcome,
  requestedAt: number,
  expected: Expected<T>,
): Received<T> {
  const { title, name } = provider;
  if (outcome instanceof TransportError) throw unreachable(title, outcome);
  const { status, headers } = outcome;
  if (status === 429) {
    const demanded = retryAfterMs(headers['retry-after']);
    throw limitedBy(title, (demanded ?? DEFAULT_PAUSE_MS) / 1000);
  }
  if (asksForPause(outcome)) throw limitedBy(title, pauseMsOf(outcome) / 1000);
  if (status !== 200) throw provider.refusal(outcome, request);
  const data = dataIn(outcome, request, provider, expected);
  const age = headers.age ?? '';
  const servedFromCacheSeconds = /^\d{1,9}$/.test(age) ? Number(age) : 0;
  return {
    data,
    madeAt: Math.min(request.madeAt?.(data) ?? requestedAt - servedFromCacheSeconds * 1000, Date.now()),
    source: headers['x-data-source'] === 'simulated' ? 'simulated' : name,
  };
}

function dataIn<T>(
  { headers, body }: HttpAnswer,
  { read, check }: ProviderRequest<T>,
  { title, format = json }: MarketDataProvider,
  expected: Expected<T>,
): T {
  const type = headers['content-type'] ?? '';
  const text = body.toString('utf8');
  if (text === '') throw unusable(title, 'an empty body');
  if (!format.type.test(type)) throw unusable(title, `${typeName(type)} instead of ${format.name}`);
  try {
    const data = read(format.parse(text));
    return check ? check(data, expected) : data;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof Implausible) {
      const Unusable = error instanceof OtherSymbol ? UnknownSymbol : UnusableAnswer;
      throw new Unusable(`${title} gave an implausible answer: ${error.message}`);
    }
    if (error instanceof SyntaxError) throw unusable(title, `broken ${format.name}`);
    throw unusable(title, error instanceof Error ? error.message : 'an unknown shape');
  }
}

function typeName(contentType: string): string {
  if (contentType === '') return 'no content type';
  return /^text\/html\b/i.test(contentType) ? 'HTML' : 'another content type';
}

function unusable(title: string, reason: string): ApiError {
  return new UnusableAnswer(`${title} gave an unusable answer: ${reason}`);
}

export function tooSlow(title: string, detail = 'no answer in time'): ApiError {
  return new ApiError(504, `${title} timed out: ${detail}`);
}

function unreachable(title: string, { kind, message }: TransportError): ApiError {
  if (kind === 'timeout') return tooSlow(title, message);
  if (kind === 'connection') return new ApiError(502, `${title} is unreachable: ${message}`);
  return unusable(title, message);
}

/**
 * A field of an error's JSON, to recognize what it means; undefined for HTML, an empty body and the like. No error of ours quotes a
 * text in it, because servers repeat what they are sent.
 */
export function errorField(body: Buffer, field: string): unknown {
  try {
    return (JSON.parse(body.toString('utf8')) as Record<string, unknown> | null)?.[field];
  } catch {
    return undefined;
  }
}
