import { ApiFailure, messageOf } from '../sdk/failure.ts';
import type { MarketdataRatesData } from '../sdk/index.ts';
import type { SimilarCoin } from './coins.ts';
import type { Command } from './command.ts';
import { formatCount } from './format/numbers.ts';
import { clean, commandSpan, type Line, span, wrapped } from './format/text.ts';
import { formatInstant, formatWait } from './format/time.ts';
import { limitText } from './limit.ts';
import { networkFault } from './network.ts';
import { UsageError } from './parse/usage-error.ts';
import { quoted } from './parse/words.ts';
import type { FailureReason, FailureResult } from './result.ts';
import { freeRequestsPerMonth, type Protocol, providerTitle } from './sources.ts';
import type { MissingTicker } from './tickers.ts';

/** Facts about the front end that the texts of failures need. */
export interface FailureContext {
  /** The place of the API key, in words that the user knows. */
  readonly keySetting: string;
  readonly hasKey: () => boolean;
  /** True if the front end knows that the machine has no network; left out where it cannot know. */
  readonly isOffline?: () => boolean;
  readonly now: () => number;
}

/** Where a list of codes is broken, in cells. */
const CODES_WIDTH = 76;

type DataCommand = Exclude<Command, { readonly name: 'help' }>;

/** A command line that was not understood, with the usage that helps: `usage`, unless the error has one. */
export function usageFailure(thrown: unknown, usage?: string): FailureResult {
  const error = thrown instanceof UsageError ? thrown : new UsageError(messageOf(thrown));
  const { message, meant } = error;
  const helpful = error.usage ?? usage;
  const hint: Line = helpful ? [span(`Usage: ${helpful}`)] : [span('Try: '), commandSpan('help')];
  return failure('usage', [
    [span(clean(message), 'error')],
    ...meantLines(meant.map((line) => [commandSpan(clean(line))])),
    ...(meant.length > 0 ? [] : [hint]),
  ]);
}

/** A coin that is not known, with those that may be meant. */
export function notFound(
  symbol: string,
  { name }: DataCommand,
  similar: readonly SimilarCoin[] = [],
): FailureResult {
  const program = name === 'chart' ? 'cchart' : 'cprice';
  return failure('not-found', [
    [span(`Coin "${clean(symbol)}" was not found in ${providerTitle}'s database.`, 'error')],
    ...meantLines(
      similar.map((coin) => [
        commandSpan(`${program} ${quoted(clean(coin.typed))}`),
        span(`  ${clean(coin.name)}`, 'muted'),
      ]),
    ),
    [span('Try: '), commandSpan(`coinsearch ${quoted(clean(symbol))}`)],
  ]);
}

/** `Did you mean: ` in front of the first line, the others below it. */
function meantLines(lines: readonly Line[]): Line[] {
  const label = 'Did you mean: ';
  return lines.map((line, index) => [span(index === 0 ? label : ' '.repeat(label.length)), ...line]);
}

/** One of several coins that has no price. */
export function priceMissing({ id, error }: MissingTicker): FailureResult {
  return failure('failed', [[span(`${clean(id)}: ${clean(error)}`, 'error')]]);
}

/** A currency that there is no rate of, with all of which there is one. */
export function unknownCurrency(currency: string, { base, rates }: MarketdataRatesData): FailureResult {
  const known = [base, ...Object.keys(rates)].sort().join(', ');
  return failure('not-found', [
    [span(`Currency "${currency}" was not found: there is no exchange rate of it.`, 'error')],
    ...wrapped(`Known: ${clean(known)}`, CODES_WIDTH).map((text) => [span(text)]),
  ]);
}

/** Explains a failed request and names the next step. */
export function requestFailure(
  thrown: unknown,
  command: DataCommand,
  context: FailureContext,
): FailureResult {
  const error = thrown instanceof ApiFailure ? thrown : undefined;
  if (error?.status === 404 && error.isAnswer && command.name !== 'search') {
    return notFound(askedBy(command), command);
  }
  return explained(thrown, { subject: subjectOf(command), protocol: command.protocol }, context);
}

/** Explains a failed request that belongs to no command; `subject` says what failed. */
export function explain(thrown: unknown, subject: string, context: FailureContext): FailureResult {
  return explained(thrown, { subject }, context);
}

interface Asked {
  /** The beginning of the explanation. */
  readonly subject: string;
  /** Undefined if no answer costs a request to a provider. */
  readonly protocol?: Protocol;
}

function explained(thrown: unknown, asked: Asked, context: FailureContext): FailureResult {
  const error = thrown instanceof ApiFailure ? thrown : new ApiFailure(undefined, messageOf(thrown));
  const text = clean(error.message);
  const { status } = error;
  if (status === 429) return rateLimited(error, asked, context);
  if (status === 401) return unauthorized(context);
  if (status === 400 && error.isAnswer) return failure('usage', [[span(text, 'error')]]);
  const isUnreachable = status === undefined && thrown instanceof ApiFailure;
  const reason = isUnreachable || (status !== undefined && status > 500) ? 'unavailable' : 'failed';
  const fault = isUnreachable ? networkFault(thrown, context.isOffline?.()) : undefined;
  const line = span(`${asked.subject}: ${clean(fault?.text ?? text)}`, 'error');
  return { ...failure(reason, [[line]]), isUnreachable, isOffline: fault?.isOffline ?? false };
}

/** `Price fetch failed for BTC`. */
function subjectOf(command: DataCommand): string {
  return `${nouns[command.name]} fetch failed for ${clean(askedBy(command))}`;
}

function askedBy(command: DataCommand): string {
  if (command.name === 'search') return command.query;
  return command.name === 'chart' ? command.symbol : command.symbols.join(' ');
}

const nouns = { price: 'Price', chart: 'Chart', search: 'Search' } as const;

function rateLimited(error: ApiFailure, { protocol }: Asked, { now }: FailureContext): FailureResult {
  const { retryAfterSeconds } = error;
  const whose = limitText(error);
  const retry =
    retryAfterSeconds === undefined
      ? 'Try again in a minute.'
      : `Try again in ${formatWait(retryAfterSeconds)} (${formatInstant(now() + retryAfterSeconds * 1000, now())}).`;
  const lines = [
    [span('Rate limit exceeded', 'error')],
    ...(protocol ? [[span(planOf())]] : []),
    [span(retry)],
    ...(whose ? [[span(whose)]] : []),
  ];
  return { ...failure('rate-limited', lines), retryAfterSeconds };
}

function planOf(): string {
  return `${providerTitle}'s free tier allows ${formatCount(freeRequestsPerMonth)} requests per month.`;
}

function unauthorized({ keySetting, hasKey }: FailureContext): FailureResult {
  const text = hasKey()
    ? `Unauthorized: the service does not accept the API key in ${keySetting}.`
    : `Unauthorized: the service wants an API key. Set it in ${keySetting}.`;
  return failure('unauthorized', [[span(text, 'error')]]);
}

function failure(reason: FailureReason, lines: readonly Line[]): FailureResult {
  return { kind: 'failure', reason, lines, isUnreachable: false };
}
