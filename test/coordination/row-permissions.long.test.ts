/** The synthesized service, with a listener before its table that notes which function asks for which rows. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { routes } from '../../functions/routes.ts';
import type * as dynamoDb from '../../local/dynamodb.ts';
import type { LocalDynamoDb } from '../../local/dynamodb.ts';
import { cloudAssembly } from '../../local/prepare.ts';
import { referencedIds, resourcesOf } from '../../local/resources.ts';
import { exampleAnswers, exampleBody, exampleUrl } from '../../scripts/generate/examples.ts';
import { post } from '../contract/post.ts';
import { dataOf, KEY, type Service } from '../contract/service.ts';

/** Keys of rows, by the function that requested them. */
const asked = new Map<string, Set<string>>();

/** Functions sign their requests with an id of their own, as their roles' credentials would have one. */
const SIGNER = /Credential=([^/]+)/;

async function observed(server: LocalDynamoDb): Promise<LocalDynamoDb> {
  const listener = createServer(async (request, response) => {
    const body = await buffer(request);
    const signer = SIGNER.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const keys = asked.get(signer) ?? new Set();
    asked.set(signer, keys);
    for (const [, key = ''] of body.toString().matchAll(/"key":\{"S":"([^"]*)"\}/g)) keys.add(key);
    const { host: _, ...headers } = request.headers as Record<string, string>; // none of them comes twice
    const answer = await fetch(server.url, { method: 'POST', body, headers }).catch(() => undefined);
    if (!answer) return response.destroy(); // the server has ended
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // TCP, so never a string
  return {
    ...server,
    environment: { ...server.environment, AWS_ENDPOINT_URL_DYNAMODB: url },
    async close() {
      listener.close();
      listener.closeAllConnections();
      await server.close();
    },
  };
}

let service: Service;
beforeAll(async () => {
  // Another file of this worker may have loaded the service already, with the server as it is.
  vi.resetModules();
  vi.doMock(import('../../local/dynamodb.ts'), async (original) => {
    const { startDynamoDb, ...others } = await original();
    const start: typeof dynamoDb.startDynamoDb = async () => observed(await startDynamoDb());
    return { ...others, startDynamoDb: start };
  });
  const { startService } = await import('../contract/service.ts');
  service = await startService({ chain: 'local', store: { history: true } });
}, 120_000);
afterAll(async () => {
  vi.doUnmock('../../local/dynamodb.ts');
  vi.resetModules();
  await service?.local.close();
});

/** Patterns of the rows that a function's role reaches, by the function. */
function allowed(): Map<string, string[]> {
  const file = join(cloudAssembly, `${service.local.template.stack}.template.json`);
  const resources = resourcesOf(readFileSync(file, 'utf8'));
  const patterns = new Map<string, string[]>();
  for (const fn of service.local.template.functions) {
    const [roleId] = referencedIds(resources.find(({ id }) => id === fn.id)?.properties.Role);
    const role = resources.find(({ id }) => id === roleId);
    const policies = role?.properties.Policies as readonly { PolicyDocument: { Statement: Statement[] } }[];
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const ofTable = statements.filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'));
    patterns.set(
      fn.name,
      ofTable.flatMap(
        ({ Condition }) => Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? [],
      ),
    );
  }
  return patterns;
}

interface Statement {
  readonly Action: unknown;
  readonly Condition?: Record<string, Record<string, string[]>>;
}

const soon = { timeout: 60_000 };
const names = () => [...asked.keys()];

it('functions read only rows that their roles reach', { timeout: 120_000 }, async () => {
  const { get, local } = service;
  // Coins that neither the snapshot nor its tail has are fetched.
  const { results } = dataOf<{ results: { id: string }[] }>(await get('/api/marketdata/coins?limit=500'));
  const [id, other] = results.slice(-2).map((coin) => encodeURIComponent(coin.id));
  await get(`/api/marketdata/ticker/${id}`);
  await get('/api/marketdata/ohlcv/ltc-litecoin?interval=1h&limit=300&end=2025-11-01T00:00:00Z');
  const params = { name: 'get_ticker', arguments: { id: decodeURIComponent(other ?? '') } };
  await post(`${local.url}/api/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await exampleAnswers(
    local.url,
    routes.filter(({ rows, allSecrets }) => rows && allSecrets.length > 0),
  );
  for (const route of routes.filter(({ idempotent }) => idempotent))
    await post(local.url + exampleUrl(route), exampleBody(route), { headers: { 'idempotency-key': KEY } });
  await expect.poll(names, soon).toContain('MarketdataPastFunction');

  const patterns = allowed();
  const outside = [...asked].flatMap(([name, keys]) => {
    const own = (patterns.get(name) ?? []).map((pattern) => pattern.replace(/\*$/, ''));
    return [...keys].filter((key) => !own.some((beginning) => key.startsWith(beginning)));
  });
  expect(outside).toEqual([]);
  expect(names().sort()).toEqual([
    'FaucetRequest',
    'FaucetStatus',
    'MarketdataCandlesFunction',
    'MarketdataContractsFunction',
    'MarketdataMarketsFunction',
    'MarketdataOhlcv',
    'MarketdataPastFunction',
    'MarketdataSnapshotFunction',
    'MarketdataTicker',
    'McpServer',
  ]);
});
