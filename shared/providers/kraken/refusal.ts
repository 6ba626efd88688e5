import type { ApiError } from '../../http/errors.ts';
import type { MarketDataProvider, RefusedAnswer } from '../../marketdata/provider.ts';
import { exchangeRefusal, unknownMarket } from '../exchange-refusal.ts';

export const TITLE = 'Kraken';

/** Errors are short; a longer answer is data. */
const MAX_ERROR_BYTES = 4096;
/** What the errors mean, by how they begin: they come with a 200 (docs.kraken.com, "Errors"). */
const MEANINGS = [
  ['EGeneral:Too many requests', 429],
  ['EAPI:Rate limit exceeded', 429],
  ['EService:', 503],
  ['EQuery:Unknown asset pair', 404],
] as const;

export function statusOf({ status, body }: RefusedAnswer): number {
  const text = status === 200 ? errorText(body) : undefined;
  if (text === undefined) return status;
  return MEANINGS.find(([start]) => text.startsWith(start))?.[1] ?? 400;
}

export function refusal(
  answer: RefusedAnswer,
  { coinId }: Parameters<MarketDataProvider['refusal']>[1],
): ApiError {
  const text = errorText(answer.body);
  if (answer.status === 404 && text !== undefined && coinId !== undefined)
    return unknownMarket(TITLE, coinId);
  return exchangeRefusal(TITLE, answer, text);
}

/** The first error among those of an answer; what begins with W is a warning. */
export function firstError(errors: unknown): string | undefined {
  const texts = Array.isArray(errors) ? errors.map(String) : [];
  return texts.find((text) => !text.startsWith('W'));
}

function errorText(body: Buffer): string | undefined {
  if (body.length > MAX_ERROR_BYTES) return undefined;
  try {
    return firstError((JSON.parse(body.toString('utf8')) as { error?: unknown } | null)?.error);
  } catch {
    return undefined;
  }
}
