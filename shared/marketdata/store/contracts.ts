/** The coin of each contract: the stored list, for jobs and for routes that take addresses. */
import type { Environment } from '../../platform/environment.ts';
import { heldObject } from '../../platform/held-object.ts';
import { type Bucket, jsonIn, type Opened, openFrom } from '../../platform/stored-object.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';

/** The coin of each token address, for each chain (in the names of token price sources). */
export type ContractList = ReadonlyMap<string, ReadonlyMap<string, string>>;

const VERSION = 1;
export const CONTRACTS_NAME = `contracts.v${VERSION}`;
const PREFIX = 'sources/';

/** Some megabytes. */
const READ_MS = 3_000;

/** The list in a bucket. Throws what opening throws. */
export function readContracts(bucket: Bucket): Promise<Opened<ContractList>> {
  return openFrom(bucket)(CONTRACTS_NAME, contractsIn);
}

const readPublished = heldObject({
  ...{ prefix: PREFIX, name: CONTRACTS_NAME, open: contractsIn, readMs: READ_MS },
  ...{ heldMs: HOUR_MS, missingMs: MINUTE_MS },
});

/** The list for routes; empty without one, or if it cannot be read. Never throws. */
export async function currentContracts({ SOURCES_BUCKET: bucket }: Environment): Promise<ContractList> {
  return (await readPublished(bucket)) ?? new Map();
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
