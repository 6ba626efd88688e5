/** The part of a deployment that all functions share, on this machine: the template's tables in a real server. */

import { type LocalDynamoDb, startDynamoDb } from './dynamodb.ts';
import { createTable } from './dynamodb-table.ts';
import type { TemplateFunction, TemplateTable } from './template.ts';

export interface LocalShared {
  readonly dynamoDb: LocalDynamoDb;
  /** The variables of a function that point to what is shared, and how to reach it; nothing for all others. */
  environmentOf(fn: Pick<TemplateFunction, 'name' | 'references'>): Record<string, string>;
  close(): Promise<void>;
}

/** Starts the servers and makes in them what the template defines. */
export async function startShared(tables: readonly TemplateTable[]): Promise<LocalShared> {
  const dynamoDb = await startDynamoDb();
  /** Logical id in the template → its name here. */
  const names = new Map<string, string>();
  try {
    for (const table of tables) {
      await createTable(dynamoDb, table);
      names.set(table.id, table.id);
    }
  } catch (error) {
    await dynamoDb.close();
    throw error;
  }
  return {
    dynamoDb,
    environmentOf({ name: functionName, references }) {
      const found = Object.entries(references).flatMap(([variable, id]) => {
        const name = names.get(id);
        return name === undefined ? [] : [[variable, name] as const];
      });
      if (found.length === 0) return {};
      // Requests tell which function they are from, as they do by a role's credentials.
      return { ...Object.fromEntries(found), ...dynamoDb.environment, AWS_ACCESS_KEY_ID: functionName };
    },
    close: () => dynamoDb.close(),
  };
}
