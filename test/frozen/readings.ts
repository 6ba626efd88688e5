/** What a container reads and keeps, each as a request uses it. A reading is the version that the request would serve. */
import { tableOf } from '../../shared/coordination/coordination.ts';
import { namedClient } from '../../shared/http/named-keys.ts';
import { storedHistory } from '../../shared/marketdata/own-history.ts';
import { currentRates } from '../../shared/marketdata/rates.ts';
import { currentSnapshot } from '../../shared/marketdata/store/current-snapshot.ts';
import { tailTicker } from '../../shared/marketdata/store/tail.ts';
import { environment } from '../../shared/platform/environment.ts';
import { fetchedSecret } from '../../shared/platform/fetched-secret.ts';
import { textIn } from '../../shared/platform/table.ts';
import { coinGeckoIds } from '../../shared/registry/coingecko-ids.ts';
import { openedRegistry, refreshRegistry } from '../../shared/registry/container.ts';

/** The coin, the variable of the secret, the row of the table, and the length of a slot of samples. */
export const read = {
  coin: 'btc-bitcoin',
  secret: 'MAINNET_RPC_URL',
  row: 'test#row',
  slotMs: 600_000,
} as const;

const coin = { id: read.coin, name: 'Bitcoin', symbol: 'BTC', rank: 1 };
const { CLIENT_KEY: key = '', SLOT: slot } = process.env;

export const readings = {
  snapshot: async () => (await currentSnapshot(environment()))?.source,
  tail: async () => (await tailTicker(environment(), coin))?.source,
  async registry() {
    await refreshRegistry(environment());
    return openedRegistry()?.manifest.source;
  },
  ids: async () => (await coinGeckoIds(environment())).theirs(read.coin),
  rates: async () => (await currentRates(environment()))?.source,
  samples: async () => (await storedHistory(environment())?.slots.at(Number(slot), read.slotMs))?.source,
  keys: async () => (await namedClient(key))?.name,
  secret: () => fetchedSecret(read.secret),
  table: async () => textIn(await tableOf(environment())?.get(read.row), 'version'),
} as const satisfies Record<string, () => Promise<string | undefined>>;

export type Reading = keyof typeof readings;
