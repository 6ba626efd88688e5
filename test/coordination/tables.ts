/** Shared by the tests of coordination: a real server with a fresh table, and tables that misbehave. */
import { afterAll } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import type { SharedTable } from '../../shared/platform/table.ts';

/** Opens a table at the server itself or at what stands in front of it. */
export type OpenTable = ((address?: string, limits?: object) => SharedTable) & { readonly server: string };

/** Gives a test file a server of its own, which ends with the file, and with it a way to make new tables. */
export function useTables(): () => Promise<OpenTable> {
  let server: LocalDynamoDb | undefined;
  let tables = 0;
  afterAll(() => server?.close());

  return async () => {
    server ??= await startDynamoDb();
    const { url, environment } = server;
    tables += 1;
    const id = `test-${tables}`;
    await createKeyedTable(server, id);
    const open = (endpoint = url, limits = {}) =>
      dynamoTable(
        id,
        {
          endpoint,
          region: environment.AWS_REGION,
          credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        },
        // Hundreds of instances at the same time on one machine take their time.
        { timeoutMs: 20_000, ...limits },
      );
    return Object.assign(open, { server: url });
  };
}

/** A table in which every call first waits for `hinder`, which may throw. */
export function hindered(table: SharedTable, hinder: () => Promise<void>): SharedTable {
  return {
    get: async (key) => {
      await hinder();
      return table.get(key);
    },
    update: async (key, change) => {
      await hinder();
      return table.update(key, change);
    },
  };
}
