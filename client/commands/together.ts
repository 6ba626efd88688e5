import type { Api } from './api.ts';
import type { Coin, Provider } from './providers.ts';
import { isWellKnown, placeOf } from './rank.ts';

/** Names of more words than these are rare. */
const MOST_WORDS = 5;

/**
 * The coin whose name the words of a command are together, such as `wrapped bitcoin`; undefined if they are meant one by
 * one. `found` has the coin of each word. Rejects as the client does.
 */
export async function namedTogether(
  words: readonly string[],
  found: readonly (Coin | undefined)[],
  provider: Provider,
  api: Api,
): Promise<Coin | undefined> {
  if (words.length < 2 || words.length > MOST_WORDS || found.every(isPlain)) return undefined;
  const coin = await provider.findNamed(api, words.join(' '));
  const isBetter = found.some((word) => placeOf(coin ?? {}) < placeOf(word ?? {}));
  return isBetter ? coin : undefined;
}

function isPlain(coin: Coin | undefined): boolean {
  return coin?.foundBy === 'id' || (coin?.foundBy === 'symbol' && isWellKnown(coin));
}
