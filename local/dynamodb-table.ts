import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KEY_ATTRIBUTE } from '../shared/coordination/table.ts';
import type { LocalDynamoDb } from './dynamodb.ts';
import type { TemplateTable } from './template.ts';

/** Makes a table as the template defines it, named after its logical id. Throws what the server says against it. */
export async function createTable(
  { url, environment }: LocalDynamoDb,
  { id, keySchema, attributeDefinitions }: TemplateTable,
): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: url,
    region: environment.AWS_REGION,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    },
  });
  try {
    await client.send(
      new CreateTableCommand({
        TableName: id,
        // CloudFormation's and DynamoDB's names are the same; the server checks the values.
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
