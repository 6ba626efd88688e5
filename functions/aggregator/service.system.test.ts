import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../test/contract/post.ts';
import { dataOf, expectFailure, type Service, startService } from '../../test/contract/service.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const trade = { tokenIn: 'ETH', tokenOut: USDC, amount: '1000000000000000000' };

const ask = (service: Service, body: object) => post(`${service.local.url}/api/aggregator/quote`, body);

describe('the local service with a chain and without a key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ chain: 'local', env: { UPSTREAM_TIMEOUT_MS: '10000' } });
  });
  afterAll(() => service.local.close());

  it('responds with marked data of a stand-in', async () => {
    expect(service.local.standIns?.names).toEqual(['aggregator']);
    const price = await ask(service, trade);
    const quote = await ask(service, { ...trade, sender: SENDER, slippageBps: 100 });

    expect(price.headers['x-data-source']).toBe('simulated');
    expect(dataOf(price)).toMatchObject({ amountOut: '3994000000', transaction: null });
    expect(dataOf(quote)).toMatchObject({
      amountOut: '3994000000',
      transaction: { from: SENDER, value: trade.amount, minAmountOut: '3954060000', chainId: 1 },
    });
  });

  it('refuses a chain that 0x does not serve', async () => {
    expectFailure(
      await ask(service, { ...trade, chain: 'local' }),
      400,
      'Invalid parameter chain: "local"; allowed: mainnet, base, arbitrum',
    );
  });
});

describe('the local service without either', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.local.close());

  it('is not configured for it', async () => {
    expectFailure(await ask(service, trade), 500, 'Server configuration error');
  });
});

it('the local service with a real key starts no stand-in', async () => {
  const env = { ZEROX_API_KEY: 'a-key-of-my-own', ZEROX_BASE_URL: 'http://127.0.0.1:1' };
  const service = await startService({ chain: 'local', env: { UPSTREAM_TIMEOUT_MS: '10000', ...env } });

  expect(service.local.standIns?.names).toEqual([]);
  expectFailure(await ask(service, trade), 502, '0x is unreachable: ECONNREFUSED');
  await service.local.close();
});
