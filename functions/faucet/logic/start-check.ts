import { chains } from '../../../shared/evm/chains.ts';
import { createNode } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { SecretSource } from '../../../shared/platform/fetched-secret.ts';
import { type FaucetNetwork, faucetNetworks } from '../networks.ts';
import { assertTestNetwork } from './treasury.ts';

const TIME_MS = 3_000;

/**
 * Asks, while the function starts, the node of every network that `env` names one for whether it is that test
 * network's. Gives what throws the 500 of a wrong configuration for those that are not, as long as the secret of the
 * node's URL does not change. Nobody waits for it, and a node that cannot be asked says nothing here: every request
 * asks once more.
 */
export function checkNetworks(
  env: Readonly<Record<string, string | undefined>>,
  secret: SecretSource,
): (network: FaucetNetwork, url: string) => void {
  const wrong = new Map<string, ApiError>();
  const keyOf = (network: FaucetNetwork, url: string) => `${network} ${url}`;
  const check = async (network: FaucetNetwork): Promise<void> => {
    const url = await secret(chains[network].rpcUrlSecret);
    try {
      await assertTestNetwork(createNode(chains[network], url, TIME_MS), Date.now() + TIME_MS);
    } catch (error) {
      if (error instanceof ApiError && error.statusCode === 500) wrong.set(keyOf(network, url), error);
    }
  };
  for (const network of faucetNetworks) {
    // A secret that cannot be had is told to whoever asks for it.
    if (env[chains[network].rpcUrlSecret]) check(network).catch(() => {});
  }
  return (network, url) => {
    const error = wrong.get(keyOf(network, url));
    if (error) throw error;
  };
}
