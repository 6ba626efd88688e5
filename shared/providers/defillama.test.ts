import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import type { ProviderClient } from '../marketdata/provider.ts';
import { windowOf } from '../marketdata/window.ts';
import { parseEnvironment } from '../platform/environment.ts';
import { type TokenOffers, tokenClientsFor } from './sources.ts';

const NOW = Date.UTC(2026, 8, 18, 4, 10);
const SECONDS = NOW / 1000;
const USDC = 'ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const BONK = 'solana:DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const price = (given: object = {}) => ({ price: 2, timestamp: SECONDS - 60, confidence: 0.99, ...given });

let server: Loopback;
let client: ProviderClient<TokenOffers>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  server = await startLoopback();
  const [only] = tokenClientsFor(parseEnvironment({ DEFILLAMA_BASE_URL: server.url }));
  if (!only) throw new Error('There is one by default');
  client = only;
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

async function pricesOf(tokens: readonly string[]) {
  return (await client.fetch(client.provider.tokenPrices(tokens), Date.now() + 5_000)).data;
}

async function historyOf(tokens: readonly string[], limit = 3) {
  const window = windowOf({ interval: '24h', limit, end: '2026-09-18T00:00:00Z' }, NOW);
  return (await client.fetch(client.provider.tokenHistory(tokens, window), Date.now() + 5_000)).data;
}

describe('the prices of tokens', () => {
  it('come in one request, by the requested names', async () => {
    const checksummed = 'ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
    const coins = { [checksummed]: price({ symbol: 'USDC', decimals: 6 }), [BONK]: price({ price: 1e-5 }) };
    server.answer(respondJson({ coins }));

    expect(await pricesOf([USDC, BONK, 'bsc:0x1'])).toEqual([
      { token: USDC, price: 2, at: NOW - 60_000, confidence: 0.99 },
      { token: BONK, price: 1e-5, at: NOW - 60_000, confidence: 0.99 },
    ]);
    expect(server.requests).toEqual([`/prices/current/${USDC},${BONK},bsc:0x1?searchWidth=6h`]);
  });

  it('are not those of a token whose address differs in case, where case means something', async () => {
    server.answer(respondJson({ coins: { [BONK.toLowerCase()]: price(), 'bsc:0x2': price() } }));

    expect(await pricesOf([BONK])).toEqual([]);
  });

  it('come without the one of many that cannot be true', async () => {
    const tokens = Array.from({ length: 11 }, (_, index) => `bsc:0x${index}`);
    const all = tokens.map((token, index) => [token, price(index === 3 ? { price: -1 } : {})]);
    server.answer(respondJson({ coins: Object.fromEntries(all) }));

    expect((await pricesOf(tokens)).map(({ token }) => token)).toEqual(
      tokens.filter((token) => token !== 'bsc:0x3'),
    );
  });

  it.each([
    ['a price as a text', price({ price: '2' }), 'unusable answer: price is not a number'],
    ['a time in milliseconds', price({ timestamp: NOW }), 'implausible answer: a time of'],
    ['a time in the future', price({ timestamp: SECONDS + 3600 }), 'implausible answer: a time of'],
    ['a time before there were coins', price({ timestamp: 7 }), 'implausible answer: a time of 7 s'],
    ['a price below nothing', price({ price: -2 }), 'implausible answer: a price of -2'],
    ['a price of nothing', price({ price: 0 }), 'implausible answer: a price of 0'],
    ['a price beyond all', price({ price: 1e16 }), 'implausible answer: a price of'],
    ['more than certain', price({ confidence: 7 }), 'implausible answer: a confidence of 7'],
    ['a list', [], 'unusable answer: a coin is not an object'],
  ])('are refused where one is %s', async (_what, coin, message) => {
    server.answer(respondJson({ coins: { [USDC]: coin } }));
    await expect(pricesOf([USDC])).rejects.toThrow(`DefiLlama gave an ${message}`);
  });

  it('are refused where one token has two', async () => {
    const coins = { [USDC]: price(), [USDC.toUpperCase().replace('0X', '0x')]: price({ price: 3 }) };
    server.answer(respondJson({ coins }));
    await expect(pricesOf([USDC])).rejects.toThrow('implausible answer: a token twice');
  });

  it('are possible, and of the requested tokens, for any response', async () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(1, NOW, SECONDS, '1', null), fc.string());
    const coin = fc.record({ price: number, timestamp: number, confidence: number }, { requiredKeys: [] });
    const key = fc.oneof(fc.constantFrom(USDC, BONK, '__proto__', 'bsc:0x1'), fc.string());
    const answer = fc.oneof(fc.jsonValue(), fc.record({ coins: fc.dictionary(key, coin) }));
    const { tokenPrices } = client.provider;
    fc.assert(
      fc.property(answer, (json) => {
        const { read, check } = tokenPrices([USDC, BONK]);
        try {
          const data = read(JSON.parse(JSON.stringify(json)));
          for (const { token, price, at, confidence } of check?.(data, {}) ?? data) {
            expect([USDC, BONK]).toContain(token);
            expect(price).toBeGreaterThan(0);
            expect(price).toBeLessThan(1e15);
            expect(at).toBeLessThanOrEqual(NOW + 60_000);
            expect(at).toBeGreaterThan(Date.UTC(2009));
            expect(confidence >= 0 && confidence <= 1).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the history of tokens', () => {
  it('is the price at the end of each day of the window, ascending', async () => {
    const day = 86_400;
    const midnight = Math.floor(SECONDS / day) * day;
    const prices = [
      { timestamp: midnight - 10, price: 3 },
      { timestamp: midnight - 2 * day + 5, price: 1 },
    ];
    server.answer(respondJson({ coins: { [USDC]: { symbol: 'USDC', confidence: 0.9, prices } } }));

    expect(await historyOf([USDC, BONK])).toEqual([
      {
        token: USDC,
        confidence: 0.9,
        prices: [
          { at: (midnight - 2 * day + 5) * 1000, price: 1 },
          { at: (midnight - 10) * 1000, price: 3 },
        ],
      },
    ]);
    expect(server.requests).toEqual([
      `/chart/${USDC},${BONK}?start=${midnight - 2 * day}&span=3&period=1d&searchWidth=6h`,
    ]);
  });

  it.each([
    ['times in milliseconds', [{ timestamp: NOW, price: 1 }], 'implausible answer: a time of'],
    ['prices that are texts', [{ timestamp: SECONDS, price: '1' }], 'unusable answer: price is not a number'],
    ['no prices', undefined, 'unusable answer: prices is not a list'],
  ])('is refused with %s', async (_what, prices, message) => {
    server.answer(respondJson({ coins: { [USDC]: { confidence: 0.9, prices } } }));
    await expect(historyOf([USDC])).rejects.toThrow(message);
  });
});
