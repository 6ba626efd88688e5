/** The state that all functions of a deployment share, on this machine: the template's tables in a real server. */
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KEY_ATTRIBUTE } from '../shared/platform/table.ts';
import { type LocalDynamoDb, startDynamoDb } from './dynamodb.ts';
import type { TemplateFunction, TemplateTable } from './template.ts';

export interface LocalShared {
  readonly dynamoDb: LocalDynamoDb;
  /** A function's variables that point to the tables, and how to reach them; empty for other functions. */
  environmentOf(fn: Pick<TemplateFunction, 'name' | 'references'>): Record<string, string>;
  close(): Promise<void>;
}

/** Starts the server and creates the template's tables in it, named after their logical ids. */
export async function startShared(tables: readonly TemplateTable[]): Promise<LocalShared> {
  const dynamoDb = await startDynamoDb();
  try {
    for (const table of tables) await createTable(dynamoDb, table);
  } catch (error) {
    await dynamoDb.close();
    throw error;
  }
  return {
    dynamoDb,
    environmentOf({ name, references }) {
      const own = Object.entries(references).filter(([, id]) => tables.some((table) => table.id === id));
      if (own.length === 0) return {};
      // The credentials identify the function, as those of a role do.
      return { ...Object.fromEntries(own), ...dynamoDb.environment, AWS_ACCESS_KEY_ID: name };
    },
    close: () => dynamoDb.close(),
  };
}

/** Creates a table as the template defines it, named after its logical id. Throws the server's error. */
async function createTable(
  { url, environment }: LocalDynamoDb,
  { id, keySchema, attributeDefinitions }: TemplateTable,
): Promise<void> {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = new DynamoDBClient({ endpoint: url, region, credentials });
  try {
    await client.send(
      new CreateTableCommand({
        TableName: id,
        // CloudFormation and DynamoDB use the same names; the server validates the values.
        KeySchema: keySchema as CreateTableCommandInput['KeySchema'],
        AttributeDefinitions: attributeDefinitions as CreateTableCommandInput['AttributeDefinitions'],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  } finally {
    client.destroy();
  }
}

/** A table of rows under one key, as the stack defines it. */
export function createKeyedTable(server: LocalDynamoDb, id: string): Promise<void> {
  return createTable(server, {
    id,
    keySchema: [{ AttributeName: KEY_ATTRIBUTE, KeyType: 'HASH' }],
    attributeDefinitions: [{ AttributeName: KEY_ATTRIBUTE, AttributeType: 'S' }],
  });
}
