import { chains } from '../../../shared/chains.ts';
import { servedChain, servedChains } from '../../../shared/evm/nodes.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  (_input, { headers }) => {
    const first = servedChain();
    headers['cache-control'] = publicFor(300);
    const served = servedChains().map((name) => {
      const { chainId, testnet, nativeSymbol, wrappedNative, tokens } = chains[name];
      return { name, chainId, testnet, nativeSymbol, wrappedNative, tokens: [...tokens] };
    });
    return { default: first, chains: served };
  },
  fetchedSecret,
);
