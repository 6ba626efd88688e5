import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { again, replacing } from '../../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, type Opened, openFrom } from '../../../../shared/platform/stored-object.ts';

/** For each chain, as sources of token prices name it: its tokens' addresses, and the coin that each is. */
export type ContractList = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface ContractSummary {
  readonly contracts: number;
  readonly coins: number;
  /** Chains whose new list lost more than a fifth: theirs stays as it was. */
  readonly refused: readonly string[];
  /** Platforms that we have no chain for, some of them. */
  readonly unknown: readonly string[];
}

const NAMED = 20;
const TIME_MS = 30_000;
const VERSION = 1;
const NAME = `contracts.v${VERSION}`;

interface Chain {
  /** As sources of token prices name it. */
  readonly name: string;
  /** How addresses are written there. */
  readonly address: RegExp;
}

/** Compared without case, so stored in lower case. */
const evm = /^0x[\da-f]{40}$/;
/** Thirty-two bytes in base 58, in which case means something. */
const solana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const tron = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const chain = (name: string, address = evm): Chain => ({ name, address });

/** By the provider's name for the platform, which is the id of its coin. */
const chains: Readonly<Record<string, Chain>> = {
  'eth-ethereum': chain('ethereum'),
  'bnb-binance-coin': chain('bsc'),
  'matic-polygon': chain('polygon'),
  'pol-polygon-ecosystem-token': chain('polygon'),
  'arb-arbitrum': chain('arbitrum'),
  'op-optimism': chain('optimism'),
  'base-base': chain('base'),
  'avax-avalanche': chain('avax'),
  'sol-solana': chain('solana', solana),
  'trx-tron': chain('tron', tron),
  'ftm-fantom': chain('fantom'),
  's-sonic': chain('sonic'),
  'gno-gnosis': chain('xdai'),
  'celo-celo': chain('celo'),
  'cro-cronos': chain('cronos'),
  'zksync-zksync': chain('era'),
  'zk-zksync': chain('era'),
  'mnt-mantle': chain('mantle'),
  'pls-pulsechain': chain('pulse'),
  'kava-kava': chain('kava'),
  'one-harmony': chain('harmony'),
  'glmr-moonbeam': chain('moonbeam'),
  'movr-moonriver': chain('moonriver'),
  'aurora-aurora': chain('aurora'),
};

/**
 * Stores which contract is which coin, from one request for the platforms and one for each of those that we know. Throws
 * what fetching, opening and putting throw; the list that is there stays then.
 */
export async function listContracts(
  client: ProviderClient<'platforms' | 'contracts'>,
  bucket: Bucket,
): Promise<ContractSummary> {
  const { provider } = client;
  const { data: platforms } = await client.fetch(provider.platforms(), Date.now() + TIME_MS);
  const fetched = new Map<string, Map<string, string>>();
  for (const platform of platforms) {
    const known = Object.hasOwn(chains, platform) ? chains[platform] : undefined;
    if (!known) continue;
    const { data } = await client.fetch(provider.contracts(platform), Date.now() + TIME_MS);
    const coins = fetched.get(known.name) ?? new Map<string, string>();
    for (const { coinId, address, isActive } of data) {
      const written = addressOn(known, address);
      if (isActive && written !== undefined) coins.set(written, coinId);
    }
    fetched.set(known.name, coins);
  }
  const { list, refused } = await again(async () => {
    const { content: before = new Map(), etag } = await readContracts(bucket);
    const next = withoutDrops(fetched, before);
    await bucket.put(NAME, contractsText(next.list), 'application/json', replacing(etag));
    return next;
  });
  const all = [...list.values()].flatMap((coins) => [...coins.values()]);
  const unknown = platforms.filter((platform) => !Object.hasOwn(chains, platform)).slice(0, NAMED);
  return { contracts: all.length, coins: new Set(all).size, refused, unknown };
}

/** The list in a bucket. Throws what opening throws. */
export function readContracts(bucket: Bucket): Promise<Opened<ContractList>> {
  return openFrom(bucket)(NAME, contractsIn);
}

/** The tokens of each coin, `chain:address`. */
export function tokensByCoin(list: ContractList): Map<string, string[]> {
  const tokens = new Map<string, string[]>();
  for (const [name, coins] of list)
    for (const [address, id] of coins) {
      const known = tokens.get(id);
      if (known) known.push(`${name}:${address}`);
      else tokens.set(id, [`${name}:${address}`]);
    }
  return tokens;
}

/** The address as it is stored and requested; undefined if it is none of that chain. */
function addressOn({ address }: Chain, text: string): string | undefined {
  const written = address === evm ? text.trim().toLowerCase() : text.trim();
  return address.test(written) ? written : undefined;
}

/** Each chain by itself: one that lost more than a fifth, or all that it had, stays as it was. */
function withoutDrops(
  fetched: ContractList,
  before: ContractList,
): { readonly list: ContractList; readonly refused: readonly string[] } {
  const kept = [...before].filter(([name, coins]) => isSuddenDrop(fetched.get(name)?.size ?? 0, coins.size));
  return { list: new Map([...fetched, ...kept]), refused: kept.map(([name]) => name) };
}

/** JSON of the version and, for each chain, an object of coins by address. */
function contractsText(list: ContractList): string {
  const byChain = [...list].map(([name, coins]) => [name, Object.fromEntries(coins)]);
  return JSON.stringify({ version: VERSION, chains: Object.fromEntries(byChain) });
}

function contractsIn(bytes: Uint8Array): ContractList {
  const json = jsonIn(bytes) as { version?: unknown; chains?: unknown }; // checked here
  if (json.version !== VERSION || typeof json.chains !== 'object' || json.chains === null)
    throw new StoreError(`Version ${json.version} of the contracts`);
  return new Map(
    Object.entries(json.chains).map(([name, coins]) => [name, new Map(Object.entries<string>(coins))]),
  );
}
