import { coinTitle } from '../../commands/coins.ts';
import { DOLLAR } from '../../commands/currency.ts';
import { formatPrice } from '../../commands/format/numbers.ts';
import type { Holding } from '../../commands/portfolio-file.ts';
import { coinNamed } from '../../commands/run.ts';
import { type Config, updateConfig } from '../config/config.ts';
import { averageCost, changedHolding, expressionOf } from '../holdings.ts';
import type { RunOwn } from '../print.ts';
import { spinning } from '../wait.ts';
import { currencyOf } from '../worth.ts';
import { currencyFor, listOf } from './list.ts';

/** `marketdata hold BTC 0.5 @ 60000`; without words it lists the holdings. */
export const runHold: RunOwn = async ({ positional: words, values }, session, terminal) => {
  const { interrupt, stdout, stderr, env } = terminal;
  const { config, format } = session.settings;
  const currency = currencyFor(values, session.settings);
  if (words.length === 0 && !config.holdings?.length) {
    stderr.write('You hold nothing yet. For example: marketdata hold BTC 0.5 @ 60000\n');
    if (format === 'json') stdout.write('[]\n');
    return 0;
  }
  if (words.length === 0) {
    const list = await spinning(listOf(currency, session, env)(interrupt), stderr, env);
    if (list.kind === 'failure') return list;
    return { ...list, isDefault: false, rows: list.rows.filter(({ worth }) => worth) };
  }
  const expression = expressionOf(words);
  const coin = await spinning(coinNamed(expression.symbol, session.contextOf(interrupt)), stderr, env);
  if ('kind' in coin) return coin;
  const { id } = coin;
  const next = await updateConfig(env, (before) => withHolding(before, id, expression, currency ?? DOLLAR));
  const holding = next.holdings?.find((held) => held.id === id);
  stdout.write(`${coinTitle(coin)}: ${holding ? holdingText(holding) : 'nothing held'}\n`);
  return 0;
};

/** Throws UsageError. */
function withHolding(
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
    holdings: others.flatMap((held) => (held.id === id ? (next ?? []) : held)),
  };
}

/** `0.6, cost $36,500.00 ($60,833.33 each)`. */
function holdingText(holding: Holding): string {
  const average = averageCost(holding);
  if (!average) return holding.amount;
  const currency = currencyOf(holding);
  const priceOf = (decimal: string) => formatPrice(Number(decimal), currency);
  return `${holding.amount}, cost ${priceOf(holding.cost ?? '')} (${priceOf(average)} each)`;
}
