import { ApiFailure, messageOf } from '../sdk/failure.ts';
import type { Command } from './command.ts';
import { formatCount } from './format/numbers.ts';
import { clean, commandSpan, type Line, span } from './format/text.ts';
import { formatInstant, formatWait } from './format/time.ts';
import { usageOf } from './help.ts';
import { UsageError } from './parse/usage-error.ts';
import { quoted } from './parse/words.ts';
import { type Protocol, providers } from './providers.ts';
import type { FailureReason, FailureResult } from './result.ts';

/** Facts about the front end that the texts of failures need. */
export interface FailureContext {
  /** The place of the API key, in words that the user knows. */
  readonly keySetting: string;
  readonly hasKey: () => boolean;
  readonly now: () => number;
}

type DataCommand = Exclude<Command, { readonly name: 'help' }>;

/** A command line that was not understood, with the usage that helps. */
export function usageFailure(thrown: unknown): FailureResult {
  const { message, command } = thrown instanceof UsageError ? thrown : new UsageError(messageOf(thrown));
  const hint: Line = command ? [span(`Usage: ${usageOf(command)}`)] : [span('Try: '), commandSpan('help')];
  return failure('usage', [[span(clean(message), 'error')], hint]);
}

export function notFound(symbol: string, protocol: Protocol): FailureResult {
  const { label } = providers[protocol];
  return failure('not-found', [
    [span(`Coin "${clean(symbol)}" was not found in ${label}'s database.`, 'error')],
    [span('Try: '), commandSpan(`coinsearch ${quoted(clean(symbol))}`)],
  ]);
}

/** Explains a failed request and names the next step. */
export function requestFailure(
  thrown: unknown,
  command: DataCommand,
  context: FailureContext,
): FailureResult {
  const error = thrown instanceof ApiFailure ? thrown : new ApiFailure(undefined, messageOf(thrown));
  const text = clean(error.message);
  const { status } = error;
  if (status === 429) return rateLimited(error, command, context);
  if (status === 401) return unauthorized(context);
  if (status === 400 && error.isAnswer) return failure('usage', [[span(text, 'error')]]);
  if (status === 404 && error.isAnswer && command.name !== 'search') {
    return notFound(command.symbol, command.protocol);
  }
  const isUnreachable = status === undefined && thrown instanceof ApiFailure;
  const reason = isUnreachable || (status !== undefined && status > 500) ? 'unavailable' : 'failed';
  return failure(reason, [[span(`${subjectOf(command)}: ${text}`, 'error')]], isUnreachable);
}

/** `Price fetch failed for BTC`. */
function subjectOf(command: DataCommand): string {
  const asked = command.name === 'search' ? command.query : command.symbol;
  return `${nouns[command.name]} fetch failed for ${clean(asked)}`;
}

const nouns = { price: 'Price', chart: 'Chart', search: 'Search' } as const;

function rateLimited(
  { retryAfterSeconds }: ApiFailure,
  { protocol }: DataCommand,
  { now }: FailureContext,
): FailureResult {
  const { label, freeRequestsPerMonth } = providers[protocol];
  const retry =
    retryAfterSeconds === undefined
      ? 'Try again in a minute.'
      : `Try again in ${formatWait(retryAfterSeconds)} (${formatInstant(now() + retryAfterSeconds * 1000, now())}).`;
  return failure('rate-limited', [
    [span('Rate limit exceeded', 'error')],
    [span(`${label}'s free tier allows ${formatCount(freeRequestsPerMonth)} requests per month.`)],
    [span(retry)],
  ]);
}

function unauthorized({ keySetting, hasKey }: FailureContext): FailureResult {
  const text = hasKey()
    ? `Unauthorized: the service does not accept the API key in ${keySetting}.`
    : `Unauthorized: the service wants an API key. Set it in ${keySetting}.`;
  return failure('unauthorized', [[span(text, 'error')]]);
}

function failure(reason: FailureReason, lines: readonly Line[], isUnreachable = false): FailureResult {
  return { kind: 'failure', reason, lines, isUnreachable };
}
