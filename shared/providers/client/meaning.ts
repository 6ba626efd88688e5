import { ApiError } from '../../http/errors.ts';
import type { MarketDataProvider, ProviderRequest, Received } from '../../marketdata/provider.ts';
import { type HttpAnswer, TransportError } from '../../platform/transport.ts';
import { retryAfterMs } from './retry.ts';

const DEFAULT_RETRY_SECONDS = 10;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** For how long a 429 asks to be left alone, an hour at most; 0 if it does not say, and for everything else. */
export function leaveAloneMs(outcome: HttpAnswer | TransportError): number {
  if (outcome instanceof TransportError || outcome.status !== 429) return 0;
  return Math.min(retryAfterMs(outcome.headers['retry-after']) ?? 0, MAX_RETRY_AFTER_MS);
}

/** The data in an answer. Throws 429, 502, 504, or the refusal as the provider means it. */
export function receivedFrom<T>(
  provider: MarketDataProvider,
  { coinId, read, madeAt }: ProviderRequest<T>,
  outcome: HttpAnswer | TransportError,
  askedAt: number,
): Received<T> {
  if (outcome instanceof TransportError) throw unreachable(provider.title, outcome);
  const { status, headers } = outcome;
  if (status === 429) {
    const asked = retryAfterMs(headers['retry-after']);
    throw ApiError.rateLimited(asked === undefined ? DEFAULT_RETRY_SECONDS : asked / 1000);
  }
  if (status !== 200) throw provider.refusal(outcome, coinId);
  const data = dataIn(outcome, read, provider.title);
  const age = headers.age ?? '';
  const servedFromCacheSeconds = /^\d{1,9}$/.test(age) ? Number(age) : 0;
  return {
    data,
    madeAt: madeAt?.(data) ?? askedAt - servedFromCacheSeconds * 1000,
    source: headers['x-data-source'] === 'simulated' ? 'simulated' : provider.name,
  };
}

function dataIn<T>({ headers, body }: HttpAnswer, read: (json: unknown) => T, title: string): T {
  const type = headers['content-type'] ?? '';
  const text = body.toString('utf8');
  if (text === '') throw unusable(title, 'an empty body');
  if (!/[/+]json\b/i.test(type))
    throw unusable(title, `${type.split(';')[0]?.trim() || 'no content type'} instead of JSON`);
  try {
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof SyntaxError) throw unusable(title, 'broken JSON');
    throw unusable(title, error instanceof Error ? error.message : 'an unknown shape');
  }
}

function unusable(title: string, reason: string): ApiError {
  return new ApiError(502, `${title} gave an unusable answer: ${reason}`);
}

export function tooSlow(title: string, detail = 'no answer in time'): ApiError {
  return new ApiError(504, `${title} timed out: ${detail}`);
}

function unreachable(title: string, { kind, message }: TransportError): ApiError {
  if (kind === 'timeout') return tooSlow(title, message);
  if (kind === 'connection') return new ApiError(502, `${title} is unreachable: ${message}`);
  return unusable(title, message);
}
