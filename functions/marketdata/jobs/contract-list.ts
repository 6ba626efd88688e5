import { nothingYet, objectsOf } from '../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../shared/platform/publish-object.ts';
import { type Bucket, SOURCES_PREFIX } from './sources-store.ts';

/** For each chain, as sources of token prices name it: its tokens' addresses, and the coin that each is. */
export type ContractList = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface StoredContracts {
  /** Undefined if it cannot be used: that is no reason to leave it there. */
  readonly content: ContractList | undefined;
  readonly etag: string | undefined;
}

/** Throws what reading and the AWS SDK throw, and ConditionFailed if somebody else was quicker. */
export interface ContractStore {
  /** Undefined if there is none yet. */
  read(): Promise<StoredContracts | undefined>;
  /** In place of the one with this ETag; undefined: if there is none. */
  put(list: ContractList, etag: string | undefined): Promise<void>;
}

const NAME = 'contracts';
const VERSION = 1;
const TIMEOUT_MS = 10_000;

/** The list in an S3 bucket: JSON of the version and, for each chain, an object of coins by address. */
export function contractStore(bucket: string): ContractStore {
  return contractStoreIn({
    objects: objectsOf(bucket, SOURCES_PREFIX),
    put: publisherOf(bucket, SOURCES_PREFIX),
  });
}

export function contractStoreIn({ objects, put: publish }: Bucket): ContractStore {
  return {
    async read() {
      const object = await objects.get(NAME, AbortSignal.timeout(TIMEOUT_MS)).catch(nothingYet);
      return object && { content: contractsIn(Buffer.from(object.bytes).toString()), etag: object.etag };
    },
    put: (list, etag) => {
      const chains = Object.fromEntries(
        [...list].map(([chain, coins]) => [chain, Object.fromEntries(coins)]),
      );
      return publish(NAME, JSON.stringify({ version: VERSION, chains }), 'application/json', replacing(etag));
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

function contractsIn(text: string): ContractList | undefined {
  try {
    const { version, chains } = JSON.parse(text) as { version?: unknown; chains?: unknown }; // checked here
    if (version !== VERSION || typeof chains !== 'object' || chains === null) return undefined;
    return new Map(
      Object.entries(chains).map(([chain, coins]) => [chain, new Map(Object.entries<string>(coins))]),
    );
  } catch {
    return undefined;
  }
}
