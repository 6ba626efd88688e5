import { join } from 'node:path';
import { domain as rpc } from '../../functions/rpc/domain.ts';
import { domain as uniswap } from '../../functions/uniswap/domain.ts';
import { startLocalChain } from '../../local/evm/index.ts';
import { build, functionId } from '../../scripts/build.ts';
import { chains } from '../../shared/evm/chains.ts';
import { KEY } from '../deployed/request.ts';
import { type Contestant, eventOf, isSuccess, type World } from './contestant.ts';
import { farAway, makeCertificate } from './far-server.ts';

/** A call of a node provider, which is outside of the region. */
export const NODE_DELAY_MS = 30;

/** The protocol routes that only ask a node, each with its own example on a chain with Uniswap on it. */
export async function startProtocolWorld(folder: string): Promise<World> {
  const certificate = await makeCertificate(folder);
  const chain = await startLocalChain();
  const node = await farAway(chain.url, NODE_DELAY_MS, certificate);
  const bundles = join(folder, 'ours');
  await build(bundles);
  const environment = {
    NODE_EXTRA_CA_CERTS: certificate.file,
    NODE_ENV: 'production',
    CLIENT_API_KEY: KEY,
    [chains.local.rpcUrlSecret]: node.url,
  };
  return {
    contestants: [...rpc.routes, ...uniswap.routes].map(
      (route): Contestant => ({
        name: route.name,
        memoryMb: route.memoryMb,
        folder: join(bundles, functionId(route.name)),
        environment,
        event: eventOf(route),
        check: isSuccess,
      }),
    ),
    async close() {
      node.close();
      await chain.close();
    },
  };
}
