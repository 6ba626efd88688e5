import { beforeRequests } from '../platform/at-init.ts';
import { fetchedSecret } from '../platform/fetched-secret.ts';
import { configuredNode, servedChains } from './input.ts';

/**
 * Fetches the secrets of the chains that are served, and asks their nodes which chain they are of, before the first
 * request: both handshakes, and what runs then for the first time, take seven times as long on the share of 256 MB. Never
 * throws.
 */
export function meetNodes(): Promise<void> {
  return beforeRequests(
    servedChains().map((name) => async (environment) => {
      const node = await configuredNode(name, { environment, secret: fetchedSecret });
      await node.assertChain(Date.now() + Number(environment.UPSTREAM_TIMEOUT_MS));
    }),
  );
}
