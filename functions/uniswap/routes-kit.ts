/** For tests: the wrapped handlers of approve and swap on a chain, and what a wallet does with their answers. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import type { ApprovalPayload } from '../../shared/evm/payload.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { Receipt, Wallet } from '../../test/evm/wallet.ts';
import { type Answer, call } from '../../test/pipeline/event.ts';
import { route as approveRoute } from './approve/route.ts';
import type { SwapData } from './logic/swap.ts';
import { route as swapRoute } from './swap/route.ts';

interface Answers {
  readonly swap: SwapData;
  readonly approve: ApprovalPayload;
}

type Name = keyof Answers;
export type Body = Readonly<Record<string, unknown>>;

export interface UniswapRoutes {
  post(name: Name, body: Body): Promise<Answer>;
  /** The data of a success; fails on anything else, and on an answer that its schema does not know. */
  ask<N extends Name>(name: N, body: Body): Promise<Answers[N]>;
}

const problems = {
  swap: compileResponse(swapRoute.response),
  approve: compileResponse(approveRoute.response),
};

/** The handlers with a memory of their own, on the node at a URL. Stubs the environment: unstub it afterwards. */
export async function uniswapRoutes(url: string): Promise<UniswapRoutes> {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', url);
  vi.resetModules();
  const handlers = {
    swap: (await import('./swap/handler.ts')).handler,
    approve: (await import('./approve/handler.ts')).handler,
  };
  let asked = 0;
  const post = (name: Name, body: Body) => {
    asked += 1;
    // As many clients, because each has a limit.
    const sourceIp = `198.51.${asked >> 8}.${asked & 255}`;
    return call(handlers[name], {
      method: 'POST',
      body: JSON.stringify({ chain: 'local', ...body }),
      sourceIp,
    });
  };
  return {
    post,
    async ask<N extends Name>(name: N, body: Body) {
      const answer = await post(name, body);
      expect(answer).toMatchObject({ status: 200 });
      const { data } = answer.body as { data: Answers[N] }; // checked right here
      expect(problems[name](data)).toEqual([]);
      return data;
    },
  };
}

/** Gives a test file a chain before its first test, and each of its tests handlers of their own on it. */
export function useRoutes(use: (opened: { chain: LocalChain; routes: UniswapRoutes }) => void): void {
  let chain: LocalChain;
  beforeAll(async () => {
    chain = await startLocalChain();
  });
  afterAll(() => chain.close());
  beforeEach(async () => use({ chain, routes: await uniswapRoutes(chain.url) }));
  afterEach(() => {
    vi.unstubAllEnvs();
  });
}

/** Sends an approval, after its reset if it has one. */
export async function sendApproval(
  wallet: Wallet,
  { reset, ...approval }: ApprovalPayload,
): Promise<Receipt> {
  if (reset) expect(await wallet.send(reset)).toMatchObject({ succeeded: true });
  return wallet.send(approval);
}
