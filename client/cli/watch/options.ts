import { DOLLAR } from '../../commands/currency/conversion.ts';
import type { OptionTable } from '../../commands/parse/options.ts';
import { commandTable } from '../../commands/parse/table.ts';
import type { Program } from '../programs.ts';
import type { Settings } from '../settings.ts';

const { currency } = commandTable.price.options;

export const watchOptions: OptionTable = currency ? { currency } : {};

/** The currency of a list, in capitals: what is given, else the usual one; undefined for the dollar. */
export function currencyFor(
  given: ReadonlyMap<string, string>,
  { config }: Pick<Settings, 'config'>,
): string | undefined {
  const currency = (given.get('currency') ?? config.currency)?.toUpperCase();
  return currency === DOLLAR ? undefined : currency;
}

/** Whether a program's command line names no coin, and thereby asks for the list: nothing, or a currency alone. */
export function asksForList(program: Program, words: readonly string[]): boolean {
  if (program !== 'cprice' && program !== 'price') return false;
  const [first, ...rest] = words;
  if (first === undefined) return true;
  return first === '--currency' ? rest.length === 1 : /^--currency=/.test(first) && rest.length === 0;
}
