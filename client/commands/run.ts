import { type Coin, findCoin, namedTogether, similarCoins } from './coins.ts';
import type { Command } from './command.ts';
import { type Conversion, conversionTo, DOLLAR } from './currency/conversion.ts';
import {
  explain,
  type FailureContext,
  notFound,
  requestFailure,
  unknownCurrency,
  usageFailure,
} from './failure.ts';
import { numberedCoin } from './last-search.ts';
import { parseCommand } from './parse/parse.ts';
import { UsageError } from './parse/usage-error.ts';
import { wordsOf } from './parse/words.ts';
import { provenanceOf } from './provenance.ts';
import type { FailureResult, Result } from './result.ts';
import { runChart } from './run-chart.ts';
import type { RunContext } from './run-context.ts';
import { runPrice } from './run-price.ts';
import { defaultProtocol } from './sources.ts';

export type { RunContext } from './run-context.ts';

type PricedCommand = Exclude<Command, { readonly name: 'help' | 'search' }>;

const noSymbol = usageFailure(new UsageError('Missing symbol'));

/** Runs a typed line. Never throws: a failure is a result too. */
export async function runLine(line: string, context: RunContext): Promise<Result> {
  let command: Command;
  try {
    command = parseCommand(wordsOf(line));
  } catch (error) {
    return usageFailure(error);
  }
  return await runCommand(command, context);
}

/** Never throws: a failure is a result too. */
export async function runCommand(command: Command, context: RunContext): Promise<Result> {
  if (command.name === 'help') return { kind: 'help', topic: command.topic };
  const { api, now } = context;
  try {
    if (command.name === 'search') {
      const answer = await api.search({ q: command.query, limit: command.limit });
      const ids = answer.data.results.map(({ id }) => id);
      if (ids.length > 0) context.lastSearch?.remember(ids);
      return { kind: 'search', command, data: answer.data, provenance: provenanceOf(answer, now()) };
    }
    const symbols = command.name === 'chart' ? [command.symbol, ...command.compare] : command.symbols;
    const [found, conversion] = await Promise.all([
      Promise.all(symbols.map((symbol) => coinOf(symbol, context))),
      conversionFor(command, context),
    ]);
    const together = command.name === 'price' ? await namedTogether(symbols, found, api) : undefined;
    const coins = together ? [together] : found.filter((coin) => coin !== undefined);
    const unknown = together ? [] : symbols.filter((_symbol, index) => !found[index]);
    // Words of which none is a coin are more likely one name than several coins.
    const asked = coins.length === 0 ? [unknown.join(' ')] : unknown;
    const missing = await Promise.all(
      asked.map(async (text) => notFound(text, command, await similarCoins(api, text))),
    );
    const [coin, ...others] = coins;
    const [firstMissing] = missing;
    if (!coin || (command.name === 'chart' && firstMissing)) return firstMissing ?? noSymbol;
    if (isFailure(conversion)) return conversion;
    const result =
      command.name === 'price'
        ? await runPrice([coin, ...others], missing, command, context)
        : await runChart(coin, command, context, others);
    return isFailure(result) ? result : { ...result, conversion };
  } catch (error) {
    return requestFailure(error, command, context);
  }
}

/** The coin that a word names as it does in `cprice`, or why there is none. Never throws. */
export async function coinNamed(symbol: string, context: RunContext): Promise<Coin | FailureResult> {
  const command = { name: 'price', symbols: [symbol], protocol: defaultProtocol } as const;
  try {
    const coin = await coinOf(symbol, context);
    return coin ?? notFound(symbol, command, await similarCoins(context.api, symbol));
  } catch (error) {
    return requestFailure(error, command, context);
  }
}

/** The coin that several words name together, as `cprice wrapped bitcoin` does; undefined if each is meant by itself. Never throws. */
export async function namedTogetherBy(
  symbols: readonly string[],
  context: RunContext,
): Promise<Coin | undefined> {
  if (symbols.length < 2) return undefined;
  try {
    const found = await Promise.all(symbols.map((symbol) => coinOf(symbol, context)));
    return await namedTogether(symbols, found, context.api);
  } catch {
    return undefined;
  }
}

/** The coin of a symbol, an id, a name or a number of the last search. */
async function coinOf(symbol: string, context: RunContext): Promise<Coin | undefined> {
  const numbered = numberedCoin(symbol, context.lastSearch);
  if (!numbered) return await findCoin(context.api, symbol);
  const coin = await findCoin(context.api, numbered.id);
  return coin && { ...coin, listNumber: numbered.number };
}

function isFailure(value: object | undefined): value is FailureResult {
  return value !== undefined && 'kind' in value && value.kind === 'failure';
}

/** From US dollars to the currency of a command; undefined: its prices are not converted. Never throws. */
async function conversionFor(
  command: PricedCommand,
  context: RunContext,
): Promise<Conversion | FailureResult | undefined> {
  const { currency } = command;
  if (command.name === 'chart' && command.range.quote === 'btc') return undefined;
  if (currency === undefined) return await context.usualConversion?.();
  return await conversionInto(currency, context);
}

/** From US dollars to a currency; undefined for the dollar, for which nobody is asked. Never throws. */
export async function conversionInto(
  currency: string,
  context: FailureContext & Pick<RunContext, 'rates'>,
): Promise<Conversion | FailureResult | undefined> {
  if (currency === DOLLAR) return undefined;
  try {
    const { data, provenance } = await context.rates();
    return conversionTo(currency, data, provenance) ?? unknownCurrency(currency, data);
  } catch (error) {
    return explain(error, `Exchange rate fetch failed for ${currency}`, context);
  }
}
