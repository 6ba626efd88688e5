import { SOURCES_PREFIX } from '../../../shared/marketdata/sources/source-map.ts';
import { StoreError } from '../../../shared/marketdata/store/store-error.ts';
import {
  type Bucket,
  bucketOf,
  jsonIn,
  type Opened,
  openFrom,
} from '../../../shared/platform/open-object.ts';
import { replacing } from '../../../shared/platform/publish-object.ts';

/** For each chain, as sources of token prices name it: its tokens' addresses, and the coin that each is. */
export type ContractList = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Throws what opening and the AWS SDK throw, and ConditionFailed if somebody else was quicker. */
export interface ContractStore {
  read(): Promise<Opened<ContractList>>;
  /** In place of the one with this ETag; undefined: if there is none. */
  put(list: ContractList, etag: string | undefined): Promise<void>;
}

const VERSION = 1;
const NAME = `contracts.v${VERSION}`;

/** The list in an S3 bucket: JSON of the version and, for each chain, an object of coins by address. */
export function contractStore(bucket: string): ContractStore {
  return contractStoreIn(bucketOf(bucket, SOURCES_PREFIX));
}

export function contractStoreIn(bucket: Bucket): ContractStore {
  const open = openFrom(bucket);
  return {
    read: () => open(NAME, contractsIn),
    put: (list, etag) => {
      const chains = Object.fromEntries(
        [...list].map(([chain, coins]) => [chain, Object.fromEntries(coins)]),
      );
      return bucket.put(
        NAME,
        JSON.stringify({ version: VERSION, chains }),
        'application/json',
        replacing(etag),
      );
    },
  };
}

/** The tokens of each coin, `chain:address`. */
export function tokensByCoin(list: ContractList): Map<string, string[]> {
  const tokens = new Map<string, string[]>();
  for (const [chain, coins] of list)
    for (const [address, id] of coins) {
      const known = tokens.get(id);
      if (known) known.push(`${chain}:${address}`);
      else tokens.set(id, [`${chain}:${address}`]);
    }
  return tokens;
}

function contractsIn(bytes: Uint8Array): ContractList {
  const { version, chains } = jsonIn(bytes) as { version?: unknown; chains?: unknown }; // checked here
  if (version !== VERSION || typeof chains !== 'object' || chains === null)
    throw new StoreError(`Version ${version} of the contracts`);
  return new Map(
    Object.entries(chains).map(([chain, coins]) => [chain, new Map(Object.entries<string>(coins))]),
  );
}
