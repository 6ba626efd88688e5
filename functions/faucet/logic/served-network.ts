import { chains } from '../../../shared/evm/chains.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { type FaucetNetwork, faucetNetworks, faucets } from '../networks.ts';

/**
 * Throws the 400 that lists the networks with a faucet here, if the request's is none of them: this function was given
 * neither its node nor its key. Throws the 500 of a wrong configuration if there is none at all.
 */
export function assertServed(network: FaucetNetwork): void {
  const served = faucetNetworks.filter(
    (name) => process.env[chains[name].rpcUrlSecret] && process.env[faucets[name].keySecret],
  );
  if (served.length === 0) throw ApiError.serverConfiguration('no faucet is configured');
  if (served.includes(network)) return;
  throw invalidParameter('network', network, `${served.join(', ')} (the networks that have a faucet here)`);
}
