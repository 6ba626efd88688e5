import { afterEach, beforeEach, vi } from 'vitest';
import { type RpcCall, respondRpc } from '../../../test/evm/node.ts';
import { call } from '../../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../../test/pipeline/loopback.ts';

export interface LoadedProxy {
  readonly node: Loopback;
  /** `body` is JSON text, because an object of JavaScript cannot hold every field. */
  ask(body: string): ReturnType<typeof call>;
}

/** Loads the proxy anew before each test, in front of a node whose results, but for its chain's id, are these. */
export function useProxy(result: (call: RpcCall) => unknown, use: (loaded: LoadedProxy) => void): void {
  let node: Loopback | undefined;
  beforeEach(async () => {
    const answer = (asked: RpcCall) => (asked.method === 'eth_chainId' ? '0x7a69' : result(asked));
    const started = await startLoopback(respondRpc((asked) => ({ result: answer(asked) })));
    node = started;
    vi.stubEnv('NODE_ENV', 'test');
    vi.stubEnv('LOCAL_RPC_URL', node.url);
    vi.resetModules();
    const { handler } = await import('./handler.ts');
    use({
      node: started,
      ask: (body) => call(handler, { method: 'POST', pathParameters: { chain: 'local' }, body }),
    });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await node?.close();
  });
}
