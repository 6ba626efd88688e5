/**
 * Well-known coins for simulations: identities as the provider spells them, figures rounded from common knowledge of September
 * 2025. Plausible for local runs and tests, but not a source of prices.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One well-known coin. Ranks run from 1 without gaps, by market capitalization. */
export interface WellKnownCoin {
  readonly id: string;
  readonly name: string;
  /** The symbol as the provider writes it: lower case (`sUSDS`) and surrounding spaces (`"ZBCN "`) occur. */
  readonly symbol: string;
  readonly rank: number;
  readonly type: 'coin' | 'token';
  /** US dollars on 2025-09-01. */
  readonly priceUsd: number;
  readonly circulatingSupply: number;
  /** `null`: without a limit. */
  readonly maxSupply: number | null;
  /** First year with a price. */
  readonly firstYear: number;
  /** The price is pegged to this: `usd`, `gold`, or the id of another coin of this list. */
  readonly follows: string | null;
  /** Its id at CoinGecko, if it has one. */
  readonly coinGeckoId: string | null;
}

const table = readFileSync(join(import.meta.dirname, 'well-known.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1);

/** The coins in order of rank. */
export const wellKnownCoins: readonly WellKnownCoin[] = table.map((line, index) => {
  const [
    id = '',
    name = '',
    symbol = '',
    type,
    priceUsd,
    circulatingSupply,
    maxSupply,
    firstYear,
    follows,
    coinGeckoId,
  ] = line.split('\t');
  return {
    id,
    name,
    symbol,
    rank: index + 1,
    type: type === 'token' ? type : 'coin',
    priceUsd: Number(priceUsd),
    circulatingSupply: Number(circulatingSupply),
    maxSupply: maxSupply ? Number(maxSupply) : null,
    firstYear: Number(firstYear),
    follows: follows || null,
    coinGeckoId: coinGeckoId || null,
  };
});
