import type { Api } from './api.ts';
import type { Command } from './command.ts';
import { type FailureContext, notFound, requestFailure, usageFailure } from './failure.ts';
import { parseCommand } from './parse/parse.ts';
import { wordsOf } from './parse/words.ts';
import { provenanceOf } from './provenance.ts';
import { type Coin, providers } from './providers.ts';
import type { ChartResult, FailureResult, Result } from './result.ts';

export interface RunContext extends FailureContext {
  readonly api: Api;
}

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
    const coin = await provider.find(api, command.symbol);
    if (!coin) return notFound(command.symbol, command.protocol);
    if (command.name === 'price') {
      const answer = await provider.price(api, coin.id);
      return { kind: 'price', command, coin, data: answer.data, provenance: provenanceOf(answer, now()) };
    }
    return await runChart(coin, command, context);
  } catch (error) {
    return requestFailure(error, command, context);
  }
}

/** The candles of a coin that is known already, so that a chart shown again costs one request. Never throws. */
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
