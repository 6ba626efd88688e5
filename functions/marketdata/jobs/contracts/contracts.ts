import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { again } from '../../../../shared/platform/publish-object.ts';
import type { ContractList, ContractStore } from '../contract-list.ts';
import { addressOn, type Chain, chains } from './chains.ts';

export interface Listed {
  readonly contracts: number;
  readonly coins: number;
  /** Chains whose new list lost more than a fifth: theirs stays as it was. */
  readonly refused: readonly string[];
  /** Platforms that we have no chain for, some of them. */
  readonly unknown: readonly string[];
}

const NAMED = 20;
const TIME_MS = 30_000;

/**
 * Stores which contract is which coin, from one request for the platforms and one for each of those that we know. Throws
 * what asking and storing throw; the list that is there stays then.
 */
export async function listContracts(
  client: ProviderClient<'platforms' | 'contracts'>,
  store: ContractStore,
): Promise<Listed> {
  const { provider } = client;
  const { data: platforms } = await client.fetch(provider.platforms(), Date.now() + TIME_MS);
  const found = new Map<string, Map<string, string>>();
  for (const platform of platforms) {
    const chain = Object.hasOwn(chains, platform) ? chains[platform] : undefined;
    if (!chain) continue;
    const { data } = await client.fetch(provider.contracts(platform), Date.now() + TIME_MS);
    const coins = found.get(chain.name) ?? new Map<string, string>();
    for (const { coinId, address, isActive } of data) if (isActive) add(coins, chain, address, coinId);
    found.set(chain.name, coins);
  }
  const { list, refused } = await again(async () => {
    const before = await store.read();
    const next = accepted(found, before.content);
    await store.put(next.list, before.etag);
    return next;
  });
  const all = [...list.values()].flatMap((coins) => [...coins.values()]);
  const unknown = platforms.filter((platform) => !Object.hasOwn(chains, platform)).slice(0, NAMED);
  return { contracts: all.length, coins: new Set(all).size, refused, unknown };
}

function add(coins: Map<string, string>, chain: Chain, address: string, coinId: string): void {
  const written = addressOn(chain, address);
  if (written !== undefined) coins.set(written, coinId);
}

/** Each chain by itself: one that lost more than a fifth, or all that it had, stays as it was. */
function accepted(
  found: ContractList,
  before: ContractList = new Map(),
): { readonly list: ContractList; readonly refused: readonly string[] } {
  const refused = [...before]
    .filter(([chain, coins]) => isSuddenDrop(found.get(chain)?.size ?? 0, coins.size))
    .map(([chain]) => chain);
  const kept = [...before].filter(([chain]) => refused.includes(chain));
  return { list: new Map([...found, ...kept]), refused };
}
