import { addressOn, chainOfCoin } from '../../../../shared/chains.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import {
  CONTRACTS_NAME,
  type ContractList,
  contractsText,
  readContracts,
} from '../../../../shared/marketdata/store/contracts.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import type { Bucket } from '../../../../shared/platform/stored-object.ts';

export interface ContractSummary {
  readonly contracts: number;
  readonly coins: number;
  /** Chains whose new list lost more than a fifth; their stored lists stay. */
  readonly refused: readonly string[];
  /** Some of the platforms that belong to no known chain. */
  readonly unknown: readonly string[];
}

const NAMED = 20;
const TIME_MS = 30_000;

/**
 * Stores the coins of all contracts, from one request for the platforms and one for each known chain. Throws what fetching,
 * opening and putting throw; then the stored list stays.
 */
export async function listContracts(
  client: ProviderClient<'platforms' | 'contracts'>,
  bucket: Bucket,
): Promise<ContractSummary> {
  const { provider } = client;
  const { data: platforms } = await client.fetch(provider.platforms(), Date.now() + TIME_MS);
  const fetched = new Map<string, Map<string, string>>();
  for (const platform of platforms) {
    const known = chainOfCoin.get(platform);
    if (!known) continue;
    const { data } = await client.fetch(provider.contracts(platform), Date.now() + TIME_MS);
    const coins = fetched.get(known.name) ?? new Map<string, string>();
    for (const { coinId, address, isActive } of data) {
      const written = addressOn(known, address);
      if (isActive && written !== undefined) coins.set(written, coinId);
    }
    fetched.set(known.name, coins);
  }
  const { list, refused } = await retryOnConflict(async () => {
    const { content: before = new Map(), etag } = await readContracts(bucket);
    const next = withoutDrops(fetched, before);
    await bucket.put(CONTRACTS_NAME, contractsText(next.list), 'application/json', replacing(etag));
    return next;
  });
  const all = [...list.values()].flatMap((coins) => [...coins.values()]);
  const unknown = platforms.filter((platform) => !chainOfCoin.has(platform)).slice(0, NAMED);
  return { contracts: all.length, coins: new Set(all).size, refused, unknown };
}

/** Checks each chain separately: one that lost more than a fifth, or everything, keeps its stored list. */
function withoutDrops(
  fetched: ContractList,
  before: ContractList,
): { readonly list: ContractList; readonly refused: readonly string[] } {
  const kept = [...before].filter(([name, coins]) => isSuddenDrop(fetched.get(name)?.size ?? 0, coins.size));
  return { list: new Map([...fetched, ...kept]), refused: kept.map(([name]) => name) };
}
