import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import type { SharedTable } from '../../shared/platform/table.ts';

const access = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const put = (table: SharedTable, key: string, value: string | number | Uint8Array) =>
  table.update(key, { set: { value } });

describe('the table, in a real DynamoDB-compatible server', () => {
  let dynamoDb: LocalDynamoDb | undefined;
  let proxy: Server | undefined;
  afterEach(async () => {
    proxy?.close();
    proxy?.closeAllConnections();
    await dynamoDb?.close();
  });

  /** A fresh table, seen through a proxy that notes every action; `answer` may answer in the server's place. */
  async function open(answer: (action: string) => string | undefined = () => undefined) {
    const server = await startDynamoDb();
    dynamoDb = server;
    await createKeyedTable(server, 'table');
    const actions: string[] = [];
    proxy = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const action = String(request.headers['x-amz-target']).replace(/.*\./, '');
      actions.push(action);
      const own = answer(action);
      if (own !== undefined) return response.end(own);
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      );
      const answered = await fetch(server.url, { method: 'POST', headers, body });
      response.writeHead(answered.status).end(Buffer.from(await answered.arrayBuffer()));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // TCP, so never a string
    return { table: dynamoTable('table', { ...access, endpoint }), actions };
  }

  it('returns texts, numbers and bytes unchanged', async () => {
    const { table } = await open();
    for (const value of ['战旗', '', 0.1, -1e100, Uint8Array.of(0, 255, 1)]) {
      await put(table, 'row', value);
      const row = await table.get('row');
      expect(row?.value instanceof Uint8Array ? Uint8Array.from(row.value) : row?.value).toEqual(value);
    }
    expect(await table.get('no such row')).toBeUndefined();
  });

  it('returns the current row when a condition does not hold', async () => {
    const { table } = await open();
    await put(table, 'row', 'first');
    const refused = await table.update('row', {
      set: { value: 'second' },
      when: { absent: 'value' },
    });
    expect(refused).toEqual({ applied: false, row: { key: 'row', value: 'first' } });
  });

  it('is read once for all rows that are requested at the same time, whether they exist or not', async () => {
    const { table, actions } = await open();
    await put(table, 'a', 1);
    await put(table, 'b', 2);
    actions.length = 0;

    const rows = await Promise.all(['a', 'b', 'c', 'a'].map((key) => table.get(key)));

    expect(rows.map((row) => row?.value)).toEqual([1, 2, undefined, 1]);
    expect(actions).toEqual(['BatchGetItem']);
    await table.get('a');
    expect(actions).toEqual(['BatchGetItem', 'GetItem']);
  });

  it('reads each row by itself if the response leaves some out', async () => {
    const unprocessed = JSON.stringify({ Responses: {}, UnprocessedKeys: { table: { Keys: [{}] } } });
    const { table, actions } = await open((action) => (action === 'BatchGetItem' ? unprocessed : undefined));
    await put(table, 'a', 1);
    const rows = await Promise.all([table.get('a'), table.get('b')]);
    expect(rows.map((row) => row?.value)).toEqual([1, undefined]);
    expect(actions).toEqual(['UpdateItem', 'BatchGetItem', 'GetItem', 'GetItem']);
  });

  it('fails all simultaneous reads, and none after them', async () => {
    let isDown = true;
    const { table } = await open(() => (isDown ? 'no JSON' : undefined));
    const results = await Promise.allSettled([table.get('a'), table.get('b'), put(table, 'a', 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    isDown = false;
    expect(await table.get('a')).toBeUndefined();
  });

  it('has DynamoDB’s names of errors', async () => {
    await open();
    const elsewhere = dynamoTable('no-such-table', { ...access, endpoint: dynamoDb?.url ?? '' });
    await expect(elsewhere.get('a')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'DynamoDB answered 400: ResourceNotFoundException',
    });
  });
});
