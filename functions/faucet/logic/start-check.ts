import { chains } from '../../../shared/evm/chains.ts';
import { createNode } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { type FaucetNetwork, faucetNetworks } from '../networks.ts';
import { assertTestNetwork } from './treasury.ts';

const TIME_MS = 3_000;

/**
 * Asks, while the function starts, the node of every network that `env` names one for whether it is that test
 * network's. Gives what throws the 500 of a wrong configuration for those that are not, for as long as the container
 * lives. Nobody waits for it, and a node that cannot be asked says nothing here: every request asks once more.
 */
export function checkNetworks(
  env: Readonly<Record<string, string | undefined>>,
): (network: FaucetNetwork) => void {
  const wrong = new Map<FaucetNetwork, ApiError>();
  const check = async (network: FaucetNetwork, url: string): Promise<void> => {
    try {
      await assertTestNetwork(createNode(chains[network], url, TIME_MS), Date.now() + TIME_MS);
    } catch (error) {
      if (error instanceof ApiError && error.statusCode === 500) wrong.set(network, error);
    }
  };
  for (const network of faucetNetworks) {
    const url = env[chains[network].rpcUrlSecret];
    if (url) void check(network, url);
  }
  return (network) => {
    const error = wrong.get(network);
    if (error) throw error;
  };
}
