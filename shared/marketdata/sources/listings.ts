/** The coins of exchanges' markets as the provider states them: the object that the registry's job replaces once a day. */

import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import { object } from '../../platform/json-fields.ts';
import { jsonIn } from '../../platform/stored-object.ts';
import { type ListedMarket, pairOf } from './market.ts';

/** The provider's list of one exchange's markets. */
export interface Listing {
  /** When it was fetched, in milliseconds since the epoch. */
  readonly at: number;
  /** The coin of each pair's base, such as that of `BTC/USD`; null if the provider states several. */
  readonly coins: ReadonlyMap<string, string | null>;
}

/** By our names of exchanges. */
export type Listings = ReadonlyMap<string, Listing>;

const VERSION = 1;
export const LISTINGS_NAME = `listings.v${VERSION}`;

export function listingOf(markets: readonly ListedMarket[], at: number): Listing {
  const coins = new Map<string, string | null>();
  for (const market of markets) {
    const pair = pairOf(market);
    const known = coins.get(pair);
    coins.set(pair, known === undefined || known === market.coinId ? market.coinId : null);
  }
  return { at, coins };
}

/** Why a list does not replace the previous one: it is empty, or more than a fifth shorter. Undefined if it does. */
export function refusalOf(next: Listing, previous: Listing | undefined): string | undefined {
  const { size } = next.coins;
  if (size === 0) return 'a list without markets';
  if (!previous || !isSuddenDrop(size, previous.coins.size)) return undefined;
  return `a list of ${size} markets after one of ${previous.coins.size}`;
}

export function listingsText(listings: Listings): string {
  const exchanges = Array.from(listings, ([name, { at, coins }]) => [
    name,
    { at, coins: Object.fromEntries(coins) },
  ]);
  return JSON.stringify({ version: VERSION, exchanges: Object.fromEntries(exchanges) });
}

/** Only the registry's job writes objects with this name, so one that can be parsed has this shape. Throws an Error. */
export function listingsIn(bytes: Uint8Array): Listings {
  const { version, exchanges } = object(jsonIn(bytes), 'the lists of markets');
  if (version !== VERSION) throw new Error(`Version ${version} of the lists of markets`);
  const entries = Object.entries(object(exchanges, 'exchanges')).map(([name, value]) => {
    const { at, coins } = object(value, name);
    const pairs = Object.entries(object(coins, 'coins')) as [string, string | null][]; // as written
    return [name, { at: Number(at), coins: new Map(pairs) }] as const;
  });
  return new Map(entries);
}
