/** A provider whose requests cost nothing of the budget, used by instances that share a table. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCoordination } from '../../shared/coordination/coordination.ts';
import type { CoinOffer } from '../../shared/marketdata/provider.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { kraken } from '../../shared/providers/kraken.ts';
import type { ExchangeOffer } from '../../shared/providers/sources.ts';
import { type Loopback, respond, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { useTables } from './tables.ts';

const newTable = useTables();
/** A source with the limits of a real one, but a quicker pace. */
const exchange = { ...kraken, limits: { ...kraken.limits, requestsPerSecond: 20 } };
const pairs = { error: [], result: { XXBTZUSD: { wsname: 'XBT/USD', status: 'online' } } };

let open: () => SharedTable;
let server: Loopback;
beforeEach(async () => {
  open = await newTable();
  server = await startLoopback(respondJson(pairs));
});
afterEach(() => server.close());

/** Fetches the list of markets as an instance with an environment, and so a pace, of its own. */
function instance(provider: typeof exchange = exchange) {
  const environment = parseEnvironment({
    KRAKEN_BASE_URL: server.url,
    UPSTREAM_MONTHLY_BUDGET: '1',
    UPSTREAM_TIMEOUT_MS: '14000',
  });
  const client = createClient<ExchangeOffer>(provider, environment, {
    coordinate: async () => openCoordination(environment, provider, open()),
    purpose: 'scheduled',
  });
  return (path?: string) =>
    client.fetch({ ...client.provider.markets(), ...(path !== undefined && { path }) }, Date.now() + 14_000);
}

describe('a free provider', () => {
  it('costs nothing of the budget', async () => {
    const fetchMarkets = instance();
    for (let n = 0; n < 3; n += 1) await fetchMarkets();

    expect(server.requests).toHaveLength(3);
    expect(await open().get(`kraken#quota#${new Date().toISOString().slice(0, 7)}`)).toBeUndefined();
  });

  it('gives 429 to a request whose turn would come after its time', async () => {
    const slow = instance({ ...exchange, limits: { ...exchange.limits, requestsPerSecond: 0.01 } });
    await slow();

    await expect(slow()).rejects.toMatchObject({
      statusCode: 429,
      message: "Rate limit exceeded: the provider's (Kraken); try again in 1 s",
    });
    expect(server.requests).toHaveLength(1);
  });

  it('that bans gets no request from any instance for as long as it says, three days at most', async () => {
    const headers = { 'retry-after': '200000' };
    server.answer(respond(418, headers));
    await expect(instance()()).rejects.toMatchObject({ statusCode: 429, headers });
    server.answer(respondJson(pairs));

    const error = await instance()().catch((thrown: { headers: Record<string, string> }) => thrown);
    expect(error).toMatchObject({ statusCode: 429 });
    expect(Number('headers' in error && error.headers['retry-after'])).toBeGreaterThan(199_900);
    expect(server.requests).toHaveLength(1);
  });

  it('that reports a limit in a 200 is paused as well', async () => {
    server.answer(respondJson({ error: ['EGeneral:Too many requests'] }));
    await expect(instance()()).rejects.toMatchObject({ statusCode: 429 });
    server.answer(respondJson(pairs));

    await expect(instance()()).rejects.toMatchObject({ statusCode: 429 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([401, 403, 451, 500])(
    'that refuses every request with %i is paused, for scheduled work too',
    async (status) => {
      server.answer(respond(status, {}));
      const ask = instance();
      for (const path of ['/a', '/b', '/c']) await ask(path).catch(() => {});
      server.answer(respondJson(pairs));

      await expect(instance()()).rejects.toMatchObject({
        statusCode: 502,
        message: expect.stringMatching(/^Kraken does not answer at the moment/),
      });
    },
  );
});

describe('a provider with a budget', () => {
  const ticker = (id: string) => ({ path: `/tickers/${id}`, read: (json: unknown) => json, coinId: id });

  /** Requests tickers for a purpose. */
  function client(purpose: 'demand' | 'scheduled') {
    const environment = parseEnvironment({ COINPAPRIKA_BASE_URL: server.url });
    const coordinate = async () => openCoordination(environment, coinpaprika, open());
    const { fetch } = createClient<CoinOffer>(coinpaprika, environment, { coordinate, purpose });
    return (id: string) => fetch(ticker(id), Date.now() + 10_000);
  }

  it.each([401, 403, 451])(
    'that refuses the address with %i is paused for callers, so that they cost no quota; scheduled work tries',
    async (status) => {
      server.answer(respond(status, { 'content-type': 'text/html' }, '<html>blocked</html>'));
      const request = client('demand');
      for (const id of ['a', 'b', 'c']) await request(id).catch(() => {});

      await expect(client('demand')('d')).rejects.toMatchObject({
        statusCode: 502,
        message: expect.stringMatching(/^CoinPaprika does not answer at the moment/),
      });
      expect(server.requests).toHaveLength(3);

      server.answer(respondJson({}));
      await client('scheduled')('e');
      expect(server.requests).toHaveLength(4);
    },
  );
});
