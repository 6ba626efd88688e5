import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { MAX_COINS } from './limits.ts';

const examples = { ids: 'a coin id such as btc-bitcoin', symbols: 'a symbol such as BTC' } as const;

/**
 * The items of a comma list, in its order. Throws 400 that names the parameter, and the number of an item that is
 * empty.
 */
export function itemsOf(list: string, name: keyof typeof examples): string[] {
  const items = list.split(',');
  if (items.length > MAX_COINS) {
    const allowed = `1 to ${MAX_COINS}, separated by commas`;
    throw new ApiError(400, `Invalid parameter ${name}: ${items.length} ${name}; allowed: ${allowed}`);
  }
  const empty = items.findIndex((item) => item.trim() === '');
  if (empty >= 0) {
    const which = items.length > 1 ? `${name}, number ${empty + 1}` : name;
    throw invalidParameter(which, items[empty], examples[name]);
  }
  return items;
}
