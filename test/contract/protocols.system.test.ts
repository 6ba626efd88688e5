import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../functions/routes.ts';
import type { Payload } from '../../functions/uniswap/logic/payload.ts';
import { contracts } from '../../local/evm/deploy.ts';
import { ETHER, type LocalChain } from '../../local/evm/index.ts';
import { exampleAnswers } from '../../scripts/openapi/answers.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { balanceOf } from '../evm/kit.ts';
import { newWallet } from '../evm/wallet.ts';
import { post } from './post.ts';
import { dataOf, expectFailure, KEY, type Service, startService } from './service.ts';

const root = join(import.meta.dirname, '../..');
const { alpha, beta, weth } = contracts;

interface Swap extends Payload {
  readonly minAmountOut: string;
  readonly quote: { readonly amountOut: string; readonly route: readonly { readonly type: 'v2' | 'v3' }[] };
}

async function start(env: Record<string, string> = {}): Promise<{ service: Service; chain: LocalChain }> {
  const service = await startService({
    chain: 'local',
    env: { UPSTREAM_TIMEOUT_MS: '5000', ...env },
  });
  const { chain } = service.local;
  if (!chain) throw new Error('these tests need the local chain');
  return { service, chain };
}

describe('in development', () => {
  let service: Service;
  let chain: LocalChain;
  beforeAll(async () => {
    ({ service, chain } = await start());
  });
  afterAll(() => service.local.close());

  const ask = (path: string, body: unknown) => post(`${service.local.url}${path}`, body);

  it('a newcomer gets coins, asks for a quote, approves and swaps', async () => {
    const wallet = await newWallet(chain, 0n);
    const grant = dataOf<{ requestId: string; amount: string }>(
      await ask('/api/faucet/request', { address: wallet.address, network: 'local' }),
    );
    await expect
      .poll(async () => dataOf(await service.get(`/api/faucet/status/${grant.requestId}`)).status)
      .toBe('confirmed');
    expect(await balanceOf(chain, 'native', wallet.address)).toBe(BigInt(grant.amount));

    const first = { tokenIn: 'ETH', tokenOut: alpha, amount: String(ETHER / 2n), chain: 'local' };
    const quoted = dataOf<{ amountOut: string }>(await ask('/api/uniswap/quote', first));
    const bought = dataOf<Swap>(await ask('/api/uniswap/swap', { ...first, recipient: wallet.address }));
    expect(await wallet.send(bought)).toMatchObject({ succeeded: true });
    expect(bought.quote.amountOut).toBe(quoted.amountOut);
    expect(await balanceOf(chain, alpha, wallet.address)).toBe(BigInt(quoted.amountOut));

    const second = { tokenIn: alpha, tokenOut: beta, amount: quoted.amountOut, chain: 'local' };
    const route = dataOf<Swap['quote']>(await ask('/api/uniswap/quote', second)).route;
    const tooEarly = await ask('/api/uniswap/swap', { ...second, recipient: wallet.address });
    expectFailure(tooEarly, 400, /^Insufficient allowance: the v3 router 0x/);
    const approval = { token: alpha, amount: quoted.amountOut, chain: 'local', router: route[0]?.type };
    await wallet.send(dataOf<Payload>(await ask('/api/uniswap/approve', approval)));
    const swapped = dataOf<Swap>(await ask('/api/uniswap/swap', { ...second, recipient: wallet.address }));
    expect(await wallet.send(swapped)).toMatchObject({ succeeded: true });
    expect(await balanceOf(chain, beta, wallet.address)).toBe(BigInt(swapped.quote.amountOut));
    expect(await balanceOf(chain, alpha, wallet.address)).toBe(0n);
  });

  it('reads go through the proxy, writes do not', async () => {
    const head = await chain.rpc('eth_blockNumber');

    expect(dataOf(await ask('/api/rpc/local', { method: 'eth_blockNumber' }))).toBe(head);
    expectFailure(
      await ask('/api/rpc/local', { method: 'eth_sendRawTransaction', params: ['0x'] }),
      403,
      'Method not allowed: eth_sendRawTransaction',
    );
    expectFailure(await ask('/api/rpc/local', [{ method: 'eth_blockNumber' }]), 400, /must be a JSON object/);
    expectFailure(await ask('/api/rpc/local', '{"method"'), 400, /not valid JSON/);
    expectFailure(await ask('/api/rpc/local', { params: [] }), 400, 'Missing required parameter: method');
  });

  it.each([
    ['/api/uniswap/quote', {}, 'Missing required parameter: tokenIn'],
    ['/api/uniswap/approve', {}, 'Missing required parameter: token'],
    [
      '/api/uniswap/swap',
      { tokenIn: 'ETH', tokenOut: alpha, amount: '1' },
      'Missing required parameter: recipient',
    ],
    ['/api/faucet/request', {}, 'Missing required parameter: address'],
  ])('%s names what is missing', async (path, body, text) => {
    expectFailure(await ask(path, body), 400, text);
  });

  it('a chain without a node here is a server that is not configured', async () => {
    const body = { tokenIn: 'ETH', tokenOut: '0x6B175474E89094C44Da98b954EedeAC495271d0F', amount: '1' };
    expectFailure(await ask('/api/uniswap/quote', body), 500, 'Server configuration error');
    expectFailure(await ask('/api/rpc/base', { method: 'eth_chainId' }), 500, 'Server configuration error');
  });

  it('web pages may POST', async () => {
    const preflight = await fetch(`${service.local.url}/api/uniswap/quote`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  });

  it('a body above 16 KB is a 413', async () => {
    expectFailure(
      await ask('/api/uniswap/quote', { tokenIn: 'x'.repeat(17_000) }),
      413,
      'Request body too large: the limit is 16384 bytes',
    );
  });
});

describe('the documents', () => {
  let service: Service;
  let chain: LocalChain;
  beforeAll(async () => {
    ({ service, chain } = await start());
  });
  afterAll(() => service.local.close());

  it('have a walk through a swap whose commands work in their order', async () => {
    const document = readFileSync(join(root, 'docs/protocols.md'), 'utf8');
    const commands = [...document.matchAll(/^curl .+ -d .+$/gm)].map(([command]) => command);
    expect(commands).toHaveLength(6);

    for (const command of commands) {
      const { stdout, stderr } = await promisify(execFile)(
        'sh',
        ['-c', command.replace('http://localhost:3000', service.local.url)],
        { cwd: root, env: { ...process.env, CHAIN: chain.url } },
      );
      expect(`${stdout}${stderr}`, command).toMatch(
        command.includes('wallet')
          ? /^0x70997970C51812dc3A010C7d01b50e0d17dc79C8 sent 0x/
          : /^\{"success":true,/,
      );
    }
  });

  it('have an example of every protocol route that is answered as its schema says', async () => {
    const protocolRoutes = routes.filter((route) => route.requestSecrets);

    const answers = await exampleAnswers(service.local.url, protocolRoutes);

    expect(Object.keys(answers)).toEqual(protocolRoutes.map(({ name }) => name));
    for (const { name, response } of protocolRoutes)
      expect(compileResponse(response)(answers[name])).toEqual([]);
  });
});

describe('in production', () => {
  let service: Service;
  let chain: LocalChain;
  beforeAll(async () => {
    ({ service, chain } = await start({ NODE_ENV: 'production', CLIENT_API_KEY: KEY }));
  });
  afterAll(() => service.local.close());

  const recipient: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';
  const trade = { tokenIn: 'ETH', tokenOut: alpha, amount: '1000000', chain: 'local' };
  const requests = [
    ['/api/uniswap/quote', trade],
    ['/api/uniswap/approve', { token: weth, amount: '1', chain: 'local' }],
    ['/api/uniswap/swap', { ...trade, recipient }],
    ['/api/rpc/local', { method: 'eth_chainId' }],
    ['/api/faucet/request', { address: recipient, network: 'local' }],
  ] as const;

  it.each(requests)('%s asks for the key, and answers with it', async (path, body) => {
    expectFailure(await post(`${service.local.url}${path}`, body), 401, 'Unauthorized');

    const answer = await post(`${service.local.url}${path}`, body, { headers: { 'x-api-key': KEY } });

    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const secrets = Object.values(chain.environment);
    for (const secret of secrets) expect(JSON.stringify(answer)).not.toContain(secret);
  });
});
