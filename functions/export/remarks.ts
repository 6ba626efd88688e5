/** The comments of a file: why coins are missing in it, and which continue as others. */
import { lastPriceText } from '../../shared/marketdata/serve/last-price.ts';
import { noPriceTexts } from '../../shared/marketdata/serve/no-price.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { atMost } from '../../shared/platform/waiting.ts';
import { currentRegistry } from '../../shared/registry/container.ts';
import { successionText } from '../../shared/registry/successors.ts';
import type { NamedCoin } from './named.ts';

const READS_AT_ONCE = 8;

/** For a list of prices; `missing` are the coins without one. */
export async function priceRemarks(
  coins: readonly NamedCoin[],
  missing: readonly NamedCoin[],
  environment: Environment,
): Promise<string[]> {
  const texts = await noPriceTexts(
    environment,
    missing.map(({ coin }) => coin.id),
  );
  const others = coins.filter(({ coin }) => !texts.has(coin.id)); // those texts name successors
  return [...texts.values(), ...successionsOf(others)];
}

/** For a list of candles; `missing` are the coins without any. */
export async function historyRemarks(
  coins: readonly NamedCoin[],
  missing: readonly NamedCoin[],
  environment: Environment,
): Promise<string[]> {
  const texts = await atMost(READS_AT_ONCE, missing, async ({ coin: { id } }) => {
    const last = await lastPriceText(environment, id);
    return last === undefined
      ? `No history of ${id} is available; it is fetched if it is the only id`
      : `No history of ${id} is stored in this time; ${last}`;
  });
  return [...texts, ...successionsOf(coins)];
}

function successionsOf(coins: readonly NamedCoin[]): string[] {
  const registry = currentRegistry();
  return coins.flatMap(({ coin }) => (registry && successionText(coin.id, registry)) ?? []);
}
