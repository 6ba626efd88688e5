import { type AwsAccess, accessOfLambda, awsRequests } from './aws-requests.ts';
import {
  type Change,
  type Condition,
  KEY_ATTRIBUTE,
  type Row,
  type SharedTable,
  type Updated,
  type Value,
} from './table.ts';

/** A value as DynamoDB's JSON has it; numbers are texts, and bytes base64 (API Reference, "AttributeValue"). */
type Attribute = { readonly S: string } | { readonly N: string } | { readonly B: string };
type Item = Readonly<Record<string, Attribute>>;

interface Answer {
  /** The error's name behind a namespace and `#`. */
  readonly __type?: string;
  readonly Item?: Item;
  readonly Attributes?: Item;
  readonly Responses?: Readonly<Record<string, readonly Item[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, unknown>>;
}

/** The time limits of one call. */
interface Limits {
  readonly timeoutMs?: number;
  /** The time limit of an answer, without the time for a new connection. */
  readonly answerWithinMs?: number;
}

const TIMEOUT_MS = 2_000;
/** DynamoDB's own limit is 16 MB of rows for an answer; bytes come as base64. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Rows of one BatchGetItem (API Reference, "BatchGetItem"). */
const MAX_BATCH = 100;

/** DynamoDB answered an error, which names it. */
class DynamoDbError extends Error {
  /** The row as it is, if a condition did not hold. */
  readonly item: Item | undefined;

  constructor(status: number, answer: Answer | undefined) {
    const [code] = /\w{1,60}$/.exec(answer?.__type ?? '') ?? [];
    super(`DynamoDB answered ${status}: ${answer ? (code ?? 'an error without a name') : 'no JSON'}`);
    this.name = code ?? 'DynamoDbError';
    this.item = answer?.Item;
  }
}

/**
 * A DynamoDB table. Throws an Error named like DynamoDB's own, or TransportError if there is no answer. A change may be
 * sent twice, if a kept connection turns out dead, within the time limit: test/coordination/repeated-writes.system.test.ts.
 */
export function dynamoTable(
  tableName: string,
  access: AwsAccess = accessOfLambda('dynamodb'),
  limits: Limits = {},
): SharedTable {
  const address = access.endpoint ?? `https://dynamodb.${access.region}.amazonaws.com`;
  const send = awsRequests('dynamodb', address, access);

  async function call(action: 'GetItem' | 'BatchGetItem' | 'UpdateItem', input: object): Promise<Answer> {
    const { status, body } = await send({
      path: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${action}`,
      },
      body: JSON.stringify(input),
      timeoutMs: TIMEOUT_MS,
      ...limits,
      maxBytes: MAX_BYTES,
    });
    const answer = answerIn(body);
    if (status !== 200 || !answer) throw new DynamoDbError(status, answer);
    return answer;
  }

  async function getOne(key: string): Promise<Row | undefined> {
    const input = { TableName: tableName, Key: keyOf(key), ConsistentRead: true };
    const { Item: item } = await call('GetItem', input);
    return item && rowOf(item);
  }

  async function getSome(keys: readonly string[]): Promise<Map<string, Row>> {
    const input = { RequestItems: { [tableName]: { Keys: keys.map(keyOf), ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await call('BatchGetItem', input);
    // More than 16 MB, or more than DynamoDB accepts at once: then each by itself.
    if (UnprocessedKeys?.[tableName]) throw new Unprocessed();
    const rows = (Responses?.[tableName] ?? []).map(rowOf);
    return new Map(rows.map((row) => [String(row[KEY_ATTRIBUTE]), row]));
  }

  return {
    get: batchReads(getOne, getSome),

    async update(key, change): Promise<Updated> {
      try {
        const { Attributes: item } = await call('UpdateItem', {
          TableName: tableName,
          Key: keyOf(key),
          ...expressionsOf(change),
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
        return { applied: true, row: item && rowOf(item) };
      } catch (error) {
        const isRefused = error instanceof DynamoDbError && error.name === 'ConditionalCheckFailedException';
        if (!isRefused) throw error;
        return { applied: false, row: error.item && rowOf(error.item) };
      }
    },
  };
}

/** DynamoDB left some of the rows out. */
class Unprocessed extends Error {}

/**
 * Reads one row, or all rows that are requested in the same turn of the event loop, with one request: a second one would
 * need a connection of its own, 35 ms on the share of a processor that 256 MB get.
 */
function batchReads(
  getOne: (key: string) => Promise<Row | undefined>,
  getSome: (keys: readonly string[]) => Promise<Map<string, Row>>,
): (key: string) => Promise<Row | undefined> {
  let waiting:
    | { readonly keys: Set<string>; readonly rows: Promise<Map<string, Row> | undefined> }
    | undefined;

  /** Undefined: each row has to be read by itself. */
  async function collect(keys: ReadonlySet<string>): Promise<Map<string, Row> | undefined> {
    await new Promise((resolve) => setImmediate(resolve));
    waiting = undefined;
    if (keys.size === 1) return undefined;
    return getSome([...keys]).catch((error: unknown) => {
      if (error instanceof Unprocessed) return undefined;
      throw error;
    });
  }

  return async (key) => {
    if (!waiting || waiting.keys.size >= MAX_BATCH) {
      const keys = new Set<string>();
      waiting = { keys, rows: collect(keys) };
    }
    waiting.keys.add(key);
    const rows = await waiting.rows;
    return rows ? rows.get(key) : getOne(key);
  };
}

/** Undefined if it is not JSON. */
function answerIn(body: Buffer): Answer | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function keyOf(key: string): Item {
  return { [KEY_ATTRIBUTE]: { S: key } };
}

/** A change in DynamoDB's language (Developer Guide, "Update expressions", "Condition and filter expressions"). */
function expressionsOf({ set = {}, add = {}, remove = [], when }: Change) {
  const names: Record<string, string> = {};
  const values: Record<string, Attribute> = {};
  const attributeName = (attribute: string) => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const valueName = (value: Value) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = attributeOf(value);
    return name;
  };
  const assigned = [
    ...Object.entries(set).map(([name, value]) => `${attributeName(name)} = ${valueName(value)}`),
    ...Object.entries(add).map(([name, amount]) => {
      const own = attributeName(name);
      return `${own} = if_not_exists(${own}, ${valueName(0)}) + ${valueName(amount)}`;
    }),
  ];
  const textOf = (condition: Condition): string => {
    if ('absent' in condition) return `attribute_not_exists(${attributeName(condition.absent)})`;
    if ('any' in condition) return `(${condition.any.map(textOf).join(' OR ')})`;
    if ('all' in condition) return `(${condition.all.map(textOf).join(' AND ')})`;
    const [attribute, is, value] = condition;
    return `${attributeName(attribute)} ${is} ${valueName(value)}`;
  };
  const update = [
    ...(assigned.length > 0 ? [`SET ${assigned.join(', ')}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(attributeName).join(', ')}`] : []),
  ].join(' ');
  return {
    UpdateExpression: update,
    ConditionExpression: when && textOf(when),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
  };
}

function attributeOf(value: Value): Attribute {
  if (typeof value === 'string') return { S: value };
  return typeof value === 'number' ? { N: String(value) } : { B: Buffer.from(value).toString('base64') };
}

function rowOf(item: Item): Row {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, attribute]) => {
      const value = readValue(attribute);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Undefined for a type that no row of ours has. */
function readValue(attribute: Attribute): Value | undefined {
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  return 'B' in attribute ? Buffer.from(attribute.B, 'base64') : undefined;
}
