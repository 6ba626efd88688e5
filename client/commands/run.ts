import type { Api } from './api.ts';
import type { Command } from './command.ts';
import { type Conversion, conversionTo, DOLLAR } from './currency/conversion.ts';
import type { Rates } from './currency/rates.ts';
import {
  type FailureContext,
  notFound,
  rateFailure,
  requestFailure,
  unknownCurrency,
  usageFailure,
} from './failure.ts';
import { parseCommand } from './parse/parse.ts';
import { wordsOf } from './parse/words.ts';
import { provenanceOf } from './provenance.ts';
import { type Coin, providers } from './providers.ts';
import type { ChartResult, FailureResult, Result } from './result.ts';

export interface RunContext extends FailureContext {
  readonly api: Api;
  readonly rates: Rates;
  /** For commands without `--currency`; left out, and if it gives undefined, they are told in US dollars. */
  readonly usualConversion?: () => Promise<Conversion | undefined>;
}

type PricedCommand = Exclude<Command, { readonly name: 'help' | 'search' }>;

/** Runs a typed line. Never throws: a failure is a result too. */
export async function runLine(line: string, context: RunContext): Promise<Result> {
  let words: string[];
  try {
    words = wordsOf(line);
  } catch (error) {
    return usageFailure(error);
  }
  return await runWords(words, context);
}

/** Runs a command line that is split into words already. Never throws. */
export async function runWords(words: readonly string[], context: RunContext): Promise<Result> {
  let command: Command;
  try {
    command = parseCommand(words);
  } catch (error) {
    return usageFailure(error);
  }
  return await runCommand(command, context);
}

/** Never throws: a failure is a result too. */
export async function runCommand(command: Command, context: RunContext): Promise<Result> {
  if (command.name === 'help') return { kind: 'help', topic: command.topic };
  const { api, now } = context;
  const provider = providers[command.protocol];
  try {
    if (command.name === 'search') {
      const answer = await provider.search(api, command.query, command.limit);
      return { kind: 'search', command, data: answer.data, provenance: provenanceOf(answer, now()) };
    }
    const [coin, conversion] = await Promise.all([
      provider.find(api, command.symbol),
      conversionFor(command, context),
    ]);
    if (!coin) return notFound(command.symbol, command.protocol);
    if (conversion && 'kind' in conversion) return conversion;
    if (command.name === 'chart') {
      const result = await runChart(coin, command, context);
      return result.kind === 'chart' ? { ...result, conversion } : result;
    }
    const answer = await provider.price(api, coin.id);
    const provenance = provenanceOf(answer, now());
    return { kind: 'price', command, coin, data: answer.data, provenance, conversion };
  } catch (error) {
    return requestFailure(error, command, context);
  }
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
    return rateFailure(error, currency, context);
  }
}

/**
 * The candles of a coin that is known already, as they are told, so that a chart shown again costs one request. Never
 * throws.
 */
export async function runChart(
  coin: Coin,
  command: ChartResult['command'],
  context: RunContext,
): Promise<ChartResult | FailureResult> {
  const { api, now } = context;
  try {
    const answer = await providers[command.protocol].chart(api, coin.id, command.range);
    return { kind: 'chart', command, coin, data: answer.data, provenance: provenanceOf(answer, now()) };
  } catch (error) {
    return requestFailure(error, command, context);
  }
}
