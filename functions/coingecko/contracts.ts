/** Coins by the address of their contract, and the chains that we know contracts of. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { addressOn, type Chain, chainList } from '../../shared/marketdata/sources/chains.ts';
import { type ContractList, currentContracts } from '../../shared/marketdata/store/contracts.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { type Coin, coinsOf, notFound } from './coins.ts';

/** The address as it is written there, and our id of the coin, if it is one. Throws 404 for an unknown platform. */
export async function coinOfContract(
  environment: Environment,
  platform: string,
  text: string,
): Promise<{ readonly address: string; readonly id: string | undefined }> {
  const chain = chainList.find((one) => one.platform === platform.toLowerCase());
  if (!chain)
    throw ApiError.notFound(
      `asset platform not found; there are ${chainList.map((one) => one.platform).join(', ')}`,
    );
  const address = addressOn(chain, text);
  if (address === undefined) return { address: text, id: undefined };
  const contracts = await currentContracts(environment);
  return { address, id: contracts.get(chain.name)?.get(address) };
}

/** The coin of the contract in the path. Throws 404. */
export async function coinOfPath({ environment, path }: AdapterRequest): Promise<Coin> {
  const { id } = await coinOfContract(environment, path.id ?? '', path.address ?? '');
  const coin = id === undefined ? undefined : (await coinsOf(environment)).byOurs(id);
  if (!coin) throw notFound();
  return coin;
}

/** By our id: a coin's address on each platform. */
export async function platformsByCoin(
  environment: Environment,
): Promise<ReadonlyMap<string, Record<string, string>>> {
  const contracts = await currentContracts(environment);
  const platforms = new Map<string, Record<string, string>>();
  for (const { chain, coins } of listed(contracts))
    for (const [address, id] of coins) {
      const known = platforms.get(id) ?? {};
      known[chain.platform] ??= address;
      platforms.set(id, known);
    }
  return platforms;
}

function listed(contracts: ContractList) {
  return chainList.flatMap((chain: Chain) => {
    const coins = contracts.get(chain.name);
    return coins ? [{ chain, coins }] : [];
  });
}

export function assetPlatforms() {
  return chainList.map(({ platform, chainId, title, nativeCoin }) => ({
    id: platform,
    chain_identifier: chainId,
    name: title,
    shortname: '',
    native_coin_id: nativeCoin,
    image: { thumb: null, small: null, large: null },
  }));
}
