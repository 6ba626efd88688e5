import { json } from 'node:stream/consumers';
import { toFunctionSelector } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ETHER, type LocalChain, startLocalChain } from '../../local/evm/index.ts';
import { DEPLOYER } from '../../local/evm/json-rpc.ts';
import { contracts } from '../../local/evm/uniswap/deploy.ts';
import type { RpcCall } from '../../test/evm/node.ts';
import { type Answer, failure } from '../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../test/pipeline/loopback.ts';
import { uniswapRoutes } from './fixtures/routes.ts';

const { alpha, beta } = contracts;
const body = { tokenIn: alpha, tokenOut: beta, amount: String(ETHER), recipient: DEPLOYER };

let chain: LocalChain;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());

/** A node that makes up one answer of eth_call. */
let liar: Loopback;
let calls = 0;
let lie: { readonly at: number | 'trial'; readonly answer: (truth: string) => string };
beforeEach(async () => {
  liar = await startLoopback(async (request, response) => {
    const asked = (await json(request)) as RpcCall; // our own client's
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(chain.url, { method: 'POST', headers, body: JSON.stringify(asked) });
    const answer = (await posted.json()) as { result?: string }; // our own node's; what is made up is always text
    if (asked.method !== 'eth_call') return void response.end(JSON.stringify(answer));
    calls += 1;
    const isTrial = (asked.params[0] as { to: string }).to === DEPLOYER; // of an eth_call
    const isLie = lie.at === 'trial' ? isTrial : calls === lie.at;
    const { result = '' } = answer;
    response.end(JSON.stringify(isLie ? { ...answer, result: lie.answer(result) } : answer));
  });
});
afterEach(async () => {
  await liar.close();
  vi.unstubAllEnvs();
});

async function told(at: number | 'trial', answer: (truth: string) => string): Promise<Answer> {
  [calls, lie] = [0, { at, answer }];
  return (await uniswapRoutes(liar.url)).post('swap', body);
}

const word = (digit: string) => digit.repeat(64);

it.each<readonly [string, (truth: string) => string]>([
  ['nothing', () => '0x'],
  ['one byte', () => '0x00'],
  ['a zero', () => `0x${word('0')}`],
  ['a great number', () => `0x${word('f')}`],
  ['half of it', (truth) => truth.slice(0, 2 + Math.floor(truth.length / 128) * 64)],
  ['as much of great numbers', (truth) => `0x${'f'.repeat(truth.length - 2)}`],
  ['a great number for every third', (truth) => truth.replace(/(\w{128})\w{64}/g, `$1${word('f')}`)],
])('of a call whose answer is %s the service makes no failure of its own', async (_what, answer) => {
  const statuses = new Set<number>();
  // States, taxes, the quoter; the trial, the balance and an allowance of a spender.
  for (let at = 1; at <= 6; at += 1) {
    const { status, body } = await told(at, answer);
    statuses.add(status);
    expect(JSON.stringify(body)).not.toMatch(/viem/i);
  }
  expect(calls).toBe(6);
  expect([...statuses].filter((status) => ![200, 400, 404, 502].includes(status))).toEqual([]);
});

it('a multicall that answers for other calls is a 502', async () => {
  const one = (truth: string) => truth.replace(/^(0x\w{128})\w{64}/, `$1${'1'.padStart(64, '0')}`);

  expect(await told(1, one)).toMatchObject({
    status: 502,
    body: failure('The local node gave an unusable answer: not that of a multicall'),
  });
});

it('a trial of other swaps is none', async () => {
  const none = () => `0x${'20'.padStart(64, '0')}${word('0')}`;
  const { status, body: answered } = await told('trial', none);

  expect(status).toBe(200);
  expect(answered).toMatchObject({
    data: { issues: { simulation: expect.stringMatching(/does not try calls on other state/) } },
  });
});

it('a trial that shows nothing of any swap refuses none', async () => {
  // What a call answers that has run out of gas.
  const tried = toFunctionSelector('Tried((bool,uint256,uint256,bytes))').slice(2);
  const { status, body: answered } = await told('trial', (truth) => truth.replaceAll(tried, '00000000'));

  expect(status).toBe(200);
  expect(answered).toMatchObject({
    data: { issues: { simulation: expect.stringMatching(/^The swap needs more gas than a trial may use/) } },
  });
});
