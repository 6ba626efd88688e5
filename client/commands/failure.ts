import { nearest } from '../../shared/platform/mistyped.ts';
import { ApiFailure, messageOf } from '../sdk/failure.ts';
import type { MarketdataRatesData } from '../sdk/index.ts';
import { type Coin, type SimilarCoin, successionOf } from './coins.ts';
import { currencies, currencyName } from './currency.ts';
import { formatCount } from './format/numbers.ts';
import { clean, commandSpan, type Line, span } from './format/text.ts';
import { formatInstant, formatWait } from './format/time.ts';
import { quoted, UsageError } from './parse/words.ts';
import type { Command, FailureReason, FailureResult } from './result.ts';
import { freeRequestsPerMonth, type Protocol, providerTitle } from './sources.ts';
import type { MissingTicker } from './tickers.ts';

/** Facts about the front end for failure texts. */
export interface FailureContext {
  /** Where the user sets the API key, in words. */
  readonly keySetting: string;
  readonly hasKey: () => boolean;
  /** True if the front end knows that the machine is offline; undefined if it cannot know. */
  readonly isOffline?: () => boolean;
  readonly now: () => number;
}

type DataCommand = Exclude<Command, { readonly name: 'help' }>;

/** A command line that was not understood, with helpful usage: the error's own, else `usage`. */
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

/** An unknown coin, with those that may be meant. */
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

/** A number beyond the last search's list that is not a coin's name either. */
export function beyondList(number: string, count: number): FailureResult {
  const coins = count === 1 ? '1 coin' : `${count} coins`;
  return failure('not-found', [
    [span(`Your last search found ${coins}, so it has no number ${number}.`, 'error')],
    [span('Try: '), commandSpan(`coinsearch ${quoted(number)}`)],
  ]);
}

/** A known coin without a price, because it is no longer traded. `message` is the service's, which may name the last price. */
export function inactive(coin: Coin, message: string): FailureResult {
  const { name, symbol, listNumber, successor } = coin;
  const [, last] = /; the last one was (\S+ USD on [\d-]+)/.exec(message) ?? [];
  const succession = successionOf(coin);
  const next = successor ? `cprice ${quoted(clean(successor.id))}` : `coinsearch ${quoted(clean(symbol))}`;
  const title = `${clean(name)} (${clean(symbol)})`;
  const text =
    listNumber === undefined
      ? `${title} is inactive: it has no price any more.`
      : `${listNumber} of your last search is inactive: ${title} has no price any more.`;
  return failure('not-found', [
    [span(text, 'error')],
    ...(last === undefined ? [] : [[span(`Its last known price was ${last}.`)]]),
    ...(succession === undefined ? [] : [[span(`${succession}.`)]]),
    [span('Try: '), commandSpan(next)],
  ]);
}

/** `Did you mean: ` before the first line, the others below it. */
function meantLines(lines: readonly Line[]): Line[] {
  const label = 'Did you mean: ';
  return lines.map((line, index) => [span(index === 0 ? label : ' '.repeat(label.length)), ...line]);
}

/** One coin of several that has no price. */
export function priceMissing({ id, error }: MissingTicker): FailureResult {
  return failure('failed', [[span(`${clean(id)}: ${clean(error)}`, 'error')]]);
}

/** A currency that has no rate now, or an unknown code, with similar ones or all that have a rate. */
export function withoutRate(currency: string, { base, rates }: MarketdataRatesData): FailureResult {
  if (currencies.includes(currency.toLowerCase()))
    return failure('unavailable', [
      [span(`No exchange rate of ${currency} is available now.`, 'error')],
      [span('Try again later, or choose another currency, such as USD.')],
    ]);
  const known = [base, ...Object.keys(rates)].sort();
  const meant = nearest(currency, known);
  return failure('not-found', [
    [span(`No currency has the code ${currency}.`, 'error')],
    ...meantLines(meant.map((code) => [span(clean(code)), span(`  ${currencyName(code) ?? ''}`, 'muted')])),
    ...(meant.length > 0 ? [] : [[span(`Currencies: ${clean(known.join(', '))}`)]]),
  ]);
}

const NO_RATE = /^No exchange rate of [A-Z]{3} is known /;

/** Candles of a time from which no rate of the currency is known. */
function withoutPastRate(message: string, symbol: string): FailureResult {
  return failure('not-found', [
    [span(clean(message), 'error')],
    [span('Try: '), commandSpan(`cchart ${quoted(clean(symbol))} --currency usd`)],
  ]);
}

/** Explains a failed request, for `coin` if it is already known, and names the next step. */
export function requestFailure(
  thrown: unknown,
  command: DataCommand,
  context: FailureContext,
  coin?: Coin,
): FailureResult {
  const { name } = command;
  const typed =
    name === 'search' ? command.query : name === 'chart' ? command.symbol : command.symbols.join(' ');
  if (thrown instanceof ApiFailure && thrown.status === 404 && thrown.isAnswer && name !== 'search') {
    if (NO_RATE.test(thrown.message)) return withoutPastRate(thrown.message, typed);
    return coin && !coin.isActive ? inactive(coin, thrown.message) : notFound(typed, command);
  }
  const noun = { price: 'Price', chart: 'Chart', search: 'Search' }[name];
  return explain(thrown, `${noun} fetch failed for ${clean(typed)}`, context, command.protocol);
}

/** Explains a failed request; `subject` says what failed. `protocol` is undefined if the command makes no provider request. */
export function explain(
  thrown: unknown,
  subject: string,
  context: FailureContext,
  protocol?: Protocol,
): FailureResult {
  const error = thrown instanceof ApiFailure ? thrown : new ApiFailure(undefined, messageOf(thrown));
  const { status, isAnswer } = error;
  if (status === 429) return rateLimited(error, context.now(), protocol);
  if (status === 401) return unauthorized(context);
  if (status === 400 && isAnswer) return failed(clean(error.message), 'usage');
  const isUnreachable = status === undefined && thrown instanceof ApiFailure;
  const fault = isUnreachable ? networkFault(thrown, context.isOffline?.()) : undefined;
  const reason = isUnreachable || (status !== undefined && status > 500) ? 'unavailable' : 'failed';
  const result = failed(`${subject}: ${clean(fault?.text ?? error.message)}`, reason);
  return { ...result, isUnreachable, isOffline: fault?.isOffline ?? false };
}

/** Why something failed, as lines of a message. */
export function failed(message: string, reason: FailureReason = 'failed'): FailureResult {
  return failure(
    reason,
    message.split('\n').map((text) => [span(text, 'error')]),
  );
}

function failure(reason: FailureReason, lines: readonly Line[]): FailureResult {
  return { kind: 'failure', reason, lines, isUnreachable: false };
}

function rateLimited(error: ApiFailure, now: number, protocol: Protocol | undefined): FailureResult {
  const { retryAfterSeconds: wait } = error;
  const plan = `${providerTitle}'s free tier allows ${formatCount(freeRequestsPerMonth)} requests per month.`;
  const time =
    wait === undefined ? 'a minute' : `${formatWait(wait)} (${formatInstant(now + wait * 1000, now)})`;
  const texts = [...(protocol ? [plan] : []), `Try again in ${time}.`, limitText(error) ?? []].flat();
  const lines = [[span('Rate limit exceeded', 'error')], ...texts.map((text) => [span(text)])];
  return { ...failure('rate-limited', lines), retryAfterSeconds: wait };
}

function unauthorized({ keySetting, hasKey }: FailureContext): FailureResult {
  return failed(
    hasKey()
      ? `Unauthorized: the service does not accept the API key in ${keySetting}.`
      : `Unauthorized: the service requires an API key. Set it in ${keySetting}.`,
    'unauthorized',
  );
}

/** The service's names for limits, and how they read in a sentence. */
const limits: readonly (readonly [RegExp, string])[] = [
  [/^the provider's \((.+)\)$/, "$1's own, for all requests of this service"],
  [
    /^the service's upstream budget$/,
    "this service's own: its budget of requests to providers is used up for now",
  ],
  [/^this client's share.*/, "this client's share of the service's requests to providers, for this hour"],
  [/^this client's, (\d+) .*/, "this client's: $1 requests per minute"],
  [/^the limit of /, 'that of '],
];

/**
 * Which limit a 429 refers to, as a sentence from the service's message (`Rate limit exceeded: the provider's (One);
 * try again in 60 s`) and its `RateLimit-*` headers; undefined if neither says so.
 */
export function limitText({ message, isAnswer, headers }: ApiFailure): string | undefined {
  const [, named] = /^Rate limit exceeded: (.+?)(?:; try again in \d+ s)?$/.exec(clean(message)) ?? [];
  const isUsedUp = headers?.get('ratelimit-remaining') === '0';
  const whose = named ?? (isUsedUp ? `this client's, ${headers.get('ratelimit-limit')} a minute` : undefined);
  if (whose) return `The limit is ${limits.reduce((text, [from, to]) => text.replace(from, to), whose)}.`;
  // A response from a gateway or firewall has no envelope.
  return isAnswer ? undefined : 'The limit is that of a gateway in front of the service.';
}

/**
 * Why no service was reached, in plain words; undefined if only the error's own text explains it. The text completes a
 * sentence: `this machine is offline`. `isOffline` is what the front end knows, and in the result whether the machine has no
 * network, whatever the service does.
 */
export function networkFault(thrown: unknown, isOffline = false) {
  const { code, hostname = 'of the service' } = faultIn(thrown) ?? {};
  if (isOffline || ['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'].includes(code ?? '')) {
    const detail = code === undefined ? '' : ` (${code})`;
    return { text: `this machine is offline, or its network is down${detail}`, isOffline: true };
  }
  if (code !== 'ENOTFOUND') return undefined;
  return { text: `no machine has the name ${hostname}, or this one is offline (${code})`, isOffline: false };
}

/** Node's code in the first error with one among an error's causes; for a name with two addresses, each has its own. */
function faultIn(thrown: unknown): { readonly code: string; readonly hostname?: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, hostname }: Readonly<Record<string, unknown>> = { ...thrown };
  if (typeof code === 'string') return { code, ...(typeof hostname === 'string' && { hostname }) };
  const inner: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return inner.map(faultIn).find((fault) => fault !== undefined);
}
