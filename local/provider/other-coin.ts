import type { Market } from './market.ts';
import { decode } from './routes.ts';

/**
 * The same path and query for another coin: the next active one of the list. `undefined` if the URL is not about one
 * coin of the market.
 */
export function urlOfOtherCoin(url: string, { coins }: Market): string | undefined {
  const [, collection = '', id = '', rest = ''] = /^(\/v1\/(?:coins|tickers)\/)([^/?]+)(.*)$/.exec(url) ?? [];
  const at = coins.findIndex((coin) => coin.id === decode(id));
  if (at < 0) return undefined;
  const others = [...coins.slice(at + 1), ...coins.slice(0, at)];
  const other = others.find((coin) => coin.is_active !== false);
  return other && collection + encodeURIComponent(other.id) + rest;
}
