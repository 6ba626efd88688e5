import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Change, KEY_ATTRIBUTE, type Row, type SharedTable, type Updated, type Value } from './table.ts';

type Item = Record<string, AttributeValue>;

/** Sockets are given up after this; the caller has stopped waiting long before. */
const SOCKET_TIMEOUT_MS = 2_000;
/** A kept connection fails with these if the other side closed it while this container was frozen. */
const DEAD_CONNECTION = new Set(['ECONNRESET', 'EPIPE']);

/**
 * A DynamoDB table through the AWS SDK, with the region, credentials and `AWS_ENDPOINT_URL_DYNAMODB` of the
 * environment. Throws what the SDK throws. This module brings the SDK with it: import it only where it is needed.
 */
export function dynamoTable(tableName: string, config: DynamoDBClientConfig = {}): SharedTable {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: SOCKET_TIMEOUT_MS, requestTimeout: SOCKET_TIMEOUT_MS },
    ...credentialsOfLambda(),
    ...config,
  });

  return {
    async get(key) {
      const command = () =>
        client.send(new GetItemCommand({ TableName: tableName, Key: keyOf(key), ConsistentRead: true }));
      const { Item: item } = await onLiveConnection(command);
      return item && rowOf(item);
    },

    async update(key, { update, condition, values }: Change): Promise<Updated> {
      const command = () =>
        client.send(
          new UpdateItemCommand({
            TableName: tableName,
            Key: keyOf(key),
            UpdateExpression: update,
            ConditionExpression: condition,
            ExpressionAttributeNames: namesIn(`${update} ${condition ?? ''}`),
            ExpressionAttributeValues: values && itemOf(values),
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
      try {
        const { Attributes: item } = await onLiveConnection(command);
        return { applied: true, row: item && rowOf(item) };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { applied: false, row: error.Item && rowOf(error.Item) };
      }
    },
  };
}

/** Lambda's own credentials, named, because looking for others loads a chain of providers first. */
function credentialsOfLambda(): DynamoDBClientConfig {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return {};
  return {
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
}

async function onLiveConnection<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!DEAD_CONNECTION.has((error as { code?: string }).code ?? '')) throw error;
    return command();
  }
}

function keyOf(key: string): Item {
  return { [KEY_ATTRIBUTE]: { S: key } };
}

function namesIn(expression: string): Record<string, string> {
  return Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([name, word = '']) => [name, word]));
}

function itemOf(values: Readonly<Record<string, Value>>): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, attributeOf(value)]));
}

function attributeOf(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  return typeof value === 'number' ? { N: String(value) } : { B: value };
}

function rowOf(item: Item): Row {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, { S, N, B }]) => {
      const value = S ?? B ?? (N === undefined ? undefined : Number(N));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
