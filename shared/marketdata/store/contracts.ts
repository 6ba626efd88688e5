/** The coin of each contract: the stored list, for jobs and for routes that take addresses. */
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { nothingToRead, type Objects, objectsOf } from '../../platform/objects.ts';
import { type Bucket, jsonIn, type Opened, openFrom } from '../../platform/stored-object.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { Held } from './held.ts';
import { StoreError } from './store-error.ts';

/** For each chain (in the names of token price sources), the coin of each token address. */
export type ContractList = ReadonlyMap<string, ReadonlyMap<string, string>>;

const VERSION = 1;
export const CONTRACTS_NAME = `contracts.v${VERSION}`;
const PREFIX = 'sources/';

/** Jobs replace it once a day. */
const HELD_MS = 60 * MINUTE_MS;
const MISSING_MS = MINUTE_MS;
/** Some megabytes. */
const READ_MS = 3_000;

/** The list in a bucket. Throws what opening throws. */
export function readContracts(bucket: Bucket): Promise<Opened<ContractList>> {
  return openFrom(bucket)(CONTRACTS_NAME, contractsIn);
}

const held = new Held<ContractList | undefined>({
  maxBytes: 64 * 1024 * 1024,
  bytesOf: (list) => 200 * [...(list ?? new Map()).values()].reduce((sum, { size }) => sum + size, 0),
  readMs: READ_MS,
});
let objects: Objects | undefined;

/** The list for routes; empty without one, or if it cannot be read. Never throws. */
export async function currentContracts({ SOURCES_BUCKET: bucket }: Environment): Promise<ContractList> {
  if (!bucket) return new Map();
  objects ??= objectsOf(bucket, PREFIX);
  const { get } = objects;
  try {
    const list = await held.get(CONTRACTS_NAME, {
      async read(signal) {
        const stored = await get(CONTRACTS_NAME, signal).catch(nothingToRead);
        return stored && contractsIn(stored.bytes);
      },
      untilOf: (known, now) => now + (known ? HELD_MS : MISSING_MS),
    });
    return list ?? new Map();
  } catch {
    count('SharedStoreFailures');
    return new Map();
  }
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

/** JSON of the version and, for each chain, an object of coins by address. */
export function contractsText(list: ContractList): string {
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
