import { ApiFailure, messageOf } from '../sdk/failure.ts';
import type { MarketdataRatesData } from '../sdk/index.ts';
import type { Coin, SimilarCoin } from './coins.ts';
import { formatCount } from './format/numbers.ts';
import { clean, commandSpan, type Line, span, wrapped } from './format/text.ts';
import { formatInstant, formatWait } from './format/time.ts';
import { quoted, UsageError } from './parse/words.ts';
import type { Command, FailureReason, FailureResult } from './result.ts';
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

/** A number that the list of the last search does not reach, and that no coin has as its name. */
export function beyondList(number: string, count: number): FailureResult {
  const coins = count === 1 ? '1 coin' : `${count} coins`;
  return failure('not-found', [
    [span(`Your last search found ${coins}, so it has no number ${number}.`, 'error')],
    [span('Try: '), commandSpan(`coinsearch ${quoted(number)}`)],
  ]);
}

/** A coin that is known and has no price, because nobody trades it any more. */
export function inactive({ name, symbol, listNumber }: Coin): FailureResult {
  const title = `${clean(name)} (${clean(symbol)})`;
  const text =
    listNumber === undefined
      ? `${title} is inactive: it has no price any more.`
      : `${listNumber} of your last search is inactive: ${title} has no price any more.`;
  return failure('not-found', [
    [span(text, 'error')],
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

/** Explains a failed request, for `coin` if one was found already, and names the next step. */
export function requestFailure(
  thrown: unknown,
  command: DataCommand,
  context: FailureContext,
  coin?: Coin,
): FailureResult {
  const error = thrown instanceof ApiFailure ? thrown : undefined;
  if (error?.status === 404 && error.isAnswer && command.name !== 'search') {
    if (coin && !coin.isActive) return inactive(coin);
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

/**
 * Whose limit a 429 was, in a sentence, from the service's words (`Rate limit exceeded: the provider's (One); try
 * again in 60 s`) and its `RateLimit-*` headers; undefined if neither says so.
 */
export function limitText({ message, isAnswer, headers }: ApiFailure): string | undefined {
  const [, whose = ''] = /^Rate limit exceeded: (.+?)(?:; try again in \d+ s)?$/.exec(clean(message)) ?? [];
  const [, provider] = /^the provider's \((.+)\)$/.exec(whose) ?? [];
  if (provider) return `The limit is ${provider}'s own, for all that this service asks it.`;
  if (whose === "the service's upstream budget") {
    return "The limit is this service's own: its budget of requests to providers is used up for now.";
  }
  if (whose.startsWith("this client's share")) {
    return "The limit is this client's share of the service's requests to providers, for this hour.";
  }
  const requests = /^this client's, (\d+) /.exec(whose)?.[1] ?? clientLimit(headers);
  if (requests) return `The limit is this client's: ${requests} requests per minute.`;
  if (whose) return `The limit is ${whose.replace(/^the limit of /, 'that of ')}.`;
  // A gateway's or a firewall's refusal has no envelope.
  return isAnswer ? undefined : 'The limit is that of a gateway in front of the service.';
}

/** The requests of a minute, if none of them is left. */
function clientLimit(headers: Headers | undefined): string | undefined {
  return headers?.get('ratelimit-remaining') === '0'
    ? (headers.get('ratelimit-limit') ?? undefined)
    : undefined;
}

/** Codes of Node for a machine without a network. */
const OFFLINE = ['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'];

export interface NetworkFault {
  /** Completes a sentence: `this machine is offline`. */
  readonly text: string;
  /** True if the machine has no network, whatever the service does. */
  readonly isOffline: boolean;
}

/**
 * The reason why no service was reached, in plain words; undefined if only the error's own text says it. `isOffline` is
 * the front end's own knowledge.
 */
export function networkFault(thrown: unknown, isOffline = false): NetworkFault | undefined {
  const { code, hostname } = faultIn(thrown) ?? {};
  if (isOffline || (code !== undefined && OFFLINE.includes(code))) {
    const detail = code === undefined ? '' : ` (${code})`;
    return { text: `this machine is offline, or its network is down${detail}`, isOffline: true };
  }
  if (code === 'ENOTFOUND') {
    const text = `no machine has the name ${hostname ?? 'of the service'}, or this one is offline (${code})`;
    return { text, isOffline: false };
  }
  return undefined;
}

interface Fault {
  readonly code: string;
  readonly hostname: string | undefined;
}

/** The first error with a code among an error's causes; of a name with two addresses each has its own. */
function faultIn(thrown: unknown): Fault | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const hostname = 'hostname' in thrown && typeof thrown.hostname === 'string' ? thrown.hostname : undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return { code: thrown.code, hostname };
  const inner: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return inner.map(faultIn).find((fault) => fault !== undefined);
}

/** Why a command of the terminal alone failed, in the lines of a message. */
export function failed(message: string, reason: FailureReason = 'failed'): FailureResult {
  const lines = message.split('\n').map((text) => [span(text, 'error')]);
  return { kind: 'failure', reason, lines, isUnreachable: false };
}
