/** The server for assistants, with the official client over HTTP; consecutive requests reach different processes. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../functions/mcp/tools.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { exampleBody, exampleUrl } from '../../scripts/generate/examples.ts';
import { type Clock, clockAt } from './clock.ts';
import { post } from './post.ts';
import { dataOf, KEY, request, type Service, startService, UPSTREAM_TIMEOUT_MS } from './service.ts';

const PROCESSES = 2;
const headers = { 'x-api-key': KEY };
const production = { NODE_ENV: 'production', CLIENT_API_KEY: KEY };
/** The versions of the protocol, and how a client selects each. */
const versions = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

async function connect(
  mode: (typeof versions)[number][1],
  fetchOne: Fetch,
  headers: Record<string, string>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const url = new URL('http://in-turn.example/api/mcp');
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchOne, requestInit: { headers } }));
  return client;
}

describe('the server for assistants', () => {
  let clock: Clock;
  let first: Service;
  let services: LocalService[];
  let requests = 0;

  const serviceInTurn = () => services[requests % services.length] as LocalService; // never empty
  const inTurn: Fetch = (url, init) => {
    const { url: base } = serviceInTurn();
    requests += 1;
    return fetch(base + new URL(url).pathname, init);
  };

  beforeAll(async () => {
    // Prices at one instant are the same for all, and so are snapshots that are taken then.
    clock = clockAt(Date.UTC(2026, 0, 15, 12, 3));
    const { execArgv } = clock;
    first = await startService({ execArgv, store: true, env: production });
    const sources = first.local.provider.simulated?.environment;
    const env = {
      ...{ ...sources, ...production },
      COINPAPRIKA_BASE_URL: first.provider.url,
      UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
    };
    const others = Array.from({ length: PROCESSES - 1 }, () =>
      startLocalService({ quiet: true, execArgv, env, store: true }),
    );
    services = [first.local, ...(await Promise.all(others))];
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()));
    clock.close();
  });

  describe.each(versions)('to an assistant of version %s', (version, mode) => {
    let client: Client;
    beforeAll(async () => {
      client = await connect(mode, inTurn, headers);
    });
    afterAll(() => client.close());

    it('agrees on the version, and lists the tools with their schemas', async () => {
      const listed = await client.listTools();

      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()?.name).toBe('marketdata');
      expect(client.getInstructions()).toContain('btc-bitcoin');
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
      for (const { inputSchema, outputSchema, annotations } of listed.tools) {
        expect([inputSchema.type, outputSchema?.type, annotations]).toEqual([
          'object',
          'object',
          { readOnlyHint: true },
        ]);
      }
    });

    it.each(tools)('$name returns the data of its route', async ({ name, route }) => {
      // The client itself checks it against the schema that it was given.
      const result = await client.callTool({ name, arguments: { ...route.example } });
      const url = first.local.url + exampleUrl(route);
      const answer = await (route.hasBody
        ? post(url, exampleBody(route), { headers })
        : request(url, { headers }));

      const data = dataOf(answer);
      const from = [
        ['source', answer.headers['x-data-source']],
        ['quality', answer.headers['x-data-quality']],
        ['dataTime', answer.headers['x-data-time']],
      ].filter(([, value]) => value !== undefined);
      expect(result.structuredContent).toEqual({ data, ...Object.fromEntries(from) });
      const provenance = from.map(([key, value]) => `${key}: ${value}`).join(', ');
      expect(result.content).toEqual([{ type: 'text', text: `${JSON.stringify(data)}\n${provenance}` }]);
      expect(result.isError).toBeUndefined();
    });

    it('requires the key', async () => {
      await expect(connect(mode, inTurn, { 'x-api-key': 'wrong' })).rejects.toThrow();
    });
  });

  describe('to any assistant', () => {
    let client: Client;
    beforeAll(async () => {
      client = await connect('legacy', inTurn, headers);
    });
    afterAll(() => client.close());

    it('accepts lists as arrays or texts, and amounts as numbers or texts', async () => {
      const dataOfTool = async (name: string, args: Record<string, unknown>) => {
        const { structuredContent, content } = await client.callTool({ name, arguments: args });
        return (structuredContent as { data?: unknown } | undefined)?.data ?? content;
      };
      const ids = ['btc-bitcoin', 'no,such'];
      const items = await dataOfTool('get_tickers', { ids });
      expect(items).toMatchObject({ results: [{ id: 'btc-bitcoin' }, { id: 'no' }, { id: 'such' }] });
      expect(await dataOfTool('get_tickers', { ids: ids.join(',') })).toEqual(items);
      const prices = await dataOfTool('get_price_at', {
        id: 'btc-bitcoin',
        at: ['2026-01-10', '2026-01-11'],
      });
      expect(prices).toMatchObject({ count: 2 });
      for (const [given, text] of [
        [0.0000001, '0.0000001'],
        [12_345_678.9, '12345678.9'],
      ]) {
        const conversion = { amount: given, from: 'usd', to: 'btc-bitcoin' };
        expect(await dataOfTool('convert_amount', conversion)).toMatchObject({ amount: text });
        const holdings = [{ id: 'btc-bitcoin', amount: given, cost: given }];
        expect(await dataOfTool('value_holdings', { holdings })).toMatchObject({
          positions: [{ amount: text, cost: text }],
        });
      }
    });

    it('says when to try again if the provider’s limit is reached', async () => {
      first.provider.setFault('status=429');
      const past = { id: 'eth-ethereum', at: '2026-01-10' };
      const result = await client.callTool({ name: 'get_price_at', arguments: past });
      first.provider.setFault(null);

      expect(result).toMatchObject({
        isError: true,
        content: [
          {
            type: 'text',
            text: expect.stringMatching(
              /^Rate limit exceeded: the provider's \(CoinPaprika\); try again in 10 s\nHTTP 429, try again in 10 s$/,
            ),
          },
        ],
      });
    });
  });

  it('has answered from all processes in turn', () => {
    const pids = services.flatMap(({ functions }) =>
      functions.filter(({ name }) => name.includes('Mcp')).flatMap(({ pids }) => pids),
    );
    expect(pids).toHaveLength(PROCESSES);
    expect(requests).toBeGreaterThan(3 * PROCESSES);
  });
});
