import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { chainNames, chains } from '../../../shared/chains.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { call, commonHeaders, failure } from '../../../test/pipeline/event.ts';
import { route } from './route.ts';

let handler: LambdaHandler;
beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  for (const name of chainNames) vi.stubEnv(chains[name].rpcUrlSecret, '');
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const ask = () => call(handler, { path: '/api/rpc' });

it('lists the configured chains with their tokens, in the order of the table, without node requests', async () => {
  vi.stubEnv('LOCAL_RPC_URL', 'http://127.0.0.1:9');
  vi.stubEnv('SEPOLIA_RPC_URL', 'secretsmanager:sepolia');

  const answer = await ask();

  expect(answer).toEqual({
    status: 200,
    headers: {
      ...commonHeaders(100),
      'cache-control': 'public, max-age=300, must-revalidate, stale-if-error=0',
    },
    body: {
      success: true,
      data: {
        default: 'sepolia',
        chains: [
          {
            name: 'sepolia',
            chainId: 11_155_111,
            testnet: true,
            nativeSymbol: 'ETH',
            wrappedNative: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14',
            tokens: [
              { symbol: 'WETH', address: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', decimals: 18 },
              { symbol: 'USDC', address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', decimals: 6 },
            ],
          },
          {
            name: 'local',
            chainId: 31_337,
            testnet: true,
            nativeSymbol: 'ETH',
            wrappedNative: '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35',
            tokens: [
              { symbol: 'WETH', address: '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35', decimals: 18 },
              { symbol: 'UNI-V2', address: '0xf7Cd8fa9b94DB2Aa972023b379c7f72c65E4De9D', decimals: 18 },
            ],
          },
        ],
      },
    },
  });
  expect(compileResponse(route.response)((answer.body as { data: unknown }).data)).toEqual([]);
});

it('has mainnet as the default chain if it is served', async () => {
  for (const name of chainNames) vi.stubEnv(chains[name].rpcUrlSecret, 'http://127.0.0.1:9');

  expect(await ask()).toMatchObject({ body: { data: { default: 'mainnet', chains: { length: 5 } } } });
});

it('is a 500 without any chain', async () => {
  expect(await ask()).toMatchObject({ status: 500, body: failure('Server configuration error') });
});
