import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openCoordination } from '../../shared/coordination/coordination.ts';
import { currentTicker } from '../../shared/marketdata/answer.ts';
import { history } from '../../shared/marketdata/history.ts';
import { errorCodec } from '../../shared/marketdata/kept-answers.ts';
import type { CoinOffer } from '../../shared/marketdata/provider.ts';
import { upstreamOf } from '../../shared/marketdata/upstream.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { type Loopback, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { useTables } from './tables.ts';

const newTable = useTables();
const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ID = 'btc-bitcoin';

let server: Loopback;
let giveTicker: ReturnType<typeof respondJson>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const last_updated = new Date(NOW).toISOString();
  const ticker = { id: ID, name: 'Bitcoin', symbol: 'BTC', last_updated, quotes: { USD: { price: 84_000 } } };
  giveTicker = respondJson(ticker);
  server = await startLoopback(giveTicker);
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

/** Makes instances, each with connections of its own. */
async function instancesOfOneTable() {
  const open = await newTable();
  const environment = parseEnvironment({ COINPAPRIKA_BASE_URL: `${server.url}/v1` });
  const coordinate = async () => openCoordination(environment, coinpaprika, errorCodec, open());
  return () => createClient<CoinOffer>(coinpaprika, environment, { coordinate });
}

it('a 404 for a coin that was there is one doubt for all instances, and is asked for once more by one of them', async () => {
  const newInstance = await instancesOfOneTable();
  const instances = [newInstance(), newInstance(), newInstance()];
  /** What each instance in turn is told: `exact`, `stale`, or the error. */
  const told = async () => {
    const answers: string[] = [];
    for (const client of instances) {
      const patience = { deadline: Date.now() + 10_000, staleWaitMs: 2_000, freshMs: 1_000, isActive: true };
      const answer = await currentTicker(client, ID, patience).catch((error: Error) => error);
      answers.push(answer instanceof Error ? answer.message : answer.stale ? 'stale' : 'exact');
    }
    return answers;
  };
  expect(await told()).toEqual(['exact', 'exact', 'exact']);
  server.answer(respondJson({ error: 'id not found' }, 404));
  server.requests.length = 0;

  vi.setSystemTime(NOW + 2_000);
  expect(await told()).toEqual(['stale', 'stale', 'stale']);
  vi.setSystemTime(NOW + MINUTE_MS);
  expect(await told()).toEqual(['stale', 'stale', 'stale']);
  expect(server.requests).toHaveLength(1);

  vi.setSystemTime(NOW + 2_000 + MINUTE_MS);
  const unknown = `Unknown coin id: ${ID}`;
  expect(await told()).toEqual([unknown, unknown, unknown]);
  expect(server.requests).toHaveLength(2);
});

it('a limit that is reached holds back nobody who asks for something else, and is asked for again within seconds', async () => {
  const newInstance = await instancesOfOneTable();
  const [first, second] = [newInstance(), newInstance()];
  const patience = () => ({
    deadline: Date.now() + 10_000,
    staleWaitMs: 2_000,
    freshMs: 1_000,
    isActive: true,
  });
  const limit = { statusCode: 429, headers: { 'retry-after': '60' } };
  server.answer((request, response) =>
    (request.url?.includes(ID) ? giveTicker : respondJson({}, 402))(request, response),
  );

  for (const id of ['a', 'b', 'c', 'd'])
    await expect(currentTicker(first, id, patience())).rejects.toMatchObject(limit);
  expect(await currentTicker(first, ID, patience())).toMatchObject({ stale: false });
  expect(server.requests).toHaveLength(5);

  await expect(currentTicker(second, 'a', patience())).rejects.toMatchObject(limit);
  expect(server.requests).toHaveLength(5);
  vi.setSystemTime(NOW + 4_000);
  await expect(currentTicker(second, 'a', patience())).rejects.toMatchObject(limit);
  expect(server.requests).toHaveLength(6);
});

it('candles that others have are looked at before what a plan is known to refuse', async () => {
  const newInstance = await instancesOfOneTable();
  const opened = new Date(NOW - (NOW % DAY_MS)).toISOString();
  const figures = { open: 1, high: 3, low: 1, close: 2, volume: 1, market_cap: 1 };
  const candles = respondJson([{ time_open: opened, time_close: new Date(NOW).toISOString(), ...figures }]);
  const prices = respondJson([{ timestamp: opened, price: 2, volume_24h: 1, market_cap: 1 }]);
  const refusal = respondJson({ error: 'Getting data before x is not allowed in this plan' }, 402);
  server.answer((request, response) => {
    const { url = '' } = request;
    const answer = !url.includes('/ohlcv/') ? prices : url.includes(ID) ? candles : refusal;
    answer(request, response);
  });
  const qualityOf = async (client: ReturnType<typeof newInstance>, id: string) => {
    const window = windowOf({ interval: '24h', limit: 1 }, Date.now());
    const patience = { deadline: Date.now() + 10_000, staleWaitMs: 2_000, isActive: true };
    const upstream = upstreamOf(client, client, async () => 2);
    return (await history(async () => upstream, { id, quote: 'usd', window }, patience)).quality;
  };
  const first = newInstance();
  expect(await qualityOf(first, ID)).toBe('exact');
  for (const id of ['eth-ethereum', 'sol-solana']) expect(await qualityOf(first, id)).toBe('derived');
  server.requests.length = 0;

  const second = newInstance();
  expect(await qualityOf(second, 'xrp-xrp')).toBe('derived');
  expect(await qualityOf(second, ID)).toBe('exact');
  // It knew of the refusals, and asked for no candles.
  expect(server.requests.filter((url) => url.includes('/ohlcv/'))).toEqual([]);
});
