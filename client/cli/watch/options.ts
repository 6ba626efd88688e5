import type { OptionTable } from '../../commands/parse/options.ts';
import { commandTable } from '../../commands/parse/table.ts';
import type { Program } from '../programs.ts';

const { currency } = commandTable.price.options;

export const watchOptions: OptionTable = currency ? { currency } : {};

/** Whether a program's command line names no coin, and thereby asks for the list: nothing, or a currency alone. */
export function asksForList(program: Program, words: readonly string[]): boolean {
  if (program !== 'cprice' && program !== 'price') return false;
  const [first, ...rest] = words;
  if (first === undefined) return true;
  return first === '--currency' ? rest.length === 1 : /^--currency=/.test(first) && rest.length === 0;
}
