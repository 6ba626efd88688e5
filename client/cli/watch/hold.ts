import { coinTitle } from '../../commands/coins.ts';
import { DOLLAR } from '../../commands/currency.ts';
import { formatPrice } from '../../commands/format/numbers.ts';
import type { FailureResult } from '../../commands/result.ts';
import { coinNamed } from '../../commands/run.ts';
import { type Config, type Holding, updateConfig } from '../config/config.ts';
import { averageCost, changedHolding, currencyOf, expressionOf } from '../holdings.ts';
import type { RunOwn, Session } from '../session.ts';
import { spinning } from '../spinner.ts';
import type { Terminal } from '../terminal.ts';
import { currencyFor } from './load.ts';
import { printOnce } from './print.ts';
import { rowsOf } from './rows.ts';
import { loadOnce } from './watch.ts';

/** `marketdata hold BTC 0.5 @ 60000`; without words it lists what is held. */
export const runHold: RunOwn = async ({ positional: typed, values }, session, terminal) => {
  const currency = currencyFor(values, session.settings);
  return typed.length === 0
    ? await list(currency, session, terminal)
    : await change(typed, currency ?? DOLLAR, session, terminal);
};

async function list(
  currency: string | undefined,
  session: Session,
  terminal: Terminal,
): Promise<number | FailureResult> {
  const { config, format } = session.settings;
  const { holdings = [] } = config;
  if (holdings.length === 0) {
    terminal.stderr.write('You hold nothing yet. For example: marketdata hold BTC 0.5 @ 60000\n');
    if (format === 'json') terminal.stdout.write('[]\n');
    return 0;
  }
  const loaded = await spinning(loadOnce(currency, session, terminal), terminal.stderr, terminal.env);
  if (loaded.kind === 'failed') return loaded.failure;
  const held = rowsOf(loaded).filter(({ worth }) => worth);
  printOnce({ ...loaded, isDefault: false }, held, format, terminal);
  return 0;
}

async function change(
  words: readonly string[],
  currency: string,
  session: Session,
  terminal: Terminal,
): Promise<number | FailureResult> {
  const expression = expressionOf(words);
  const context = session.contextOf(terminal.interrupt);
  const coin = await spinning(coinNamed(expression.symbol, context), terminal.stderr, terminal.env);
  if ('kind' in coin) return coin;
  const { id } = coin;
  const next = await updateConfig(terminal.env, (config) => withHolding(config, id, expression, currency));
  const holding = next.holdings?.find((held) => held.id === id);
  terminal.stdout.write(`${coinTitle(coin)}: ${holding ? holdingText(holding) : 'nothing held'}\n`);
  return 0;
}

/** Throws UsageError. */
export function withHolding(
  config: Config,
  id: string,
  expression: ReturnType<typeof expressionOf>,
  currency: string,
): Config {
  const { holdings = [] } = config;
  const former = holdings.find((held) => held.id === id);
  const next = changedHolding(id, former, expression, currency);
  const others = former ? holdings : [...holdings, { id, amount: '0' }];
  return {
    ...config,
    holdings: others.flatMap((held) => (held.id === id ? (next ? [next] : []) : [held])),
  };
}

/** `0.6, cost $36,500.00 ($60,833.33 each)`. */
function holdingText(holding: Holding): string {
  const average = averageCost(holding);
  if (!average) return holding.amount;
  const currency = currencyOf(holding);
  const told = (decimal: string) => formatPrice(Number(decimal), currency);
  return `${holding.amount}, cost ${told(holding.cost ?? '')} (${told(average)} each)`;
}
