/** The little of DynamoDB that instances share their state through. Everything else is written against this. */

export type Value = string | number | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

export interface Change {
  /** DynamoDB's update expression; every `#word` in it stands for the attribute `word`. */
  readonly update: string;
  /** The condition under which alone it is applied, in the same form. */
  readonly condition?: string;
  readonly values?: Readonly<Record<`:${string}`, Value>>;
}

export interface Updated {
  readonly applied: boolean;
  /** The row after the change, or as it is if the condition does not hold; undefined: there is none. */
  readonly row: Row | undefined;
}

export interface SharedTable {
  /** A strongly consistent read. Rows past their `expiresAt` may still be there. */
  get(key: string): Promise<Row | undefined>;
  /** Changes one row atomically, and makes it if there is none. */
  update(key: string, change: Change): Promise<Updated>;
}

/** The partition key, and the attribute (seconds since the epoch) after which DynamoDB may remove a row. */
export const KEY_ATTRIBUTE = 'key';
export const EXPIRY_ATTRIBUTE = 'expiresAt';

/**
 * A row's key. Its owner comes first, a provider or a domain: a function's role reaches the rows of those owners alone
 * that its route or job names as `rows`.
 */
export function rowKey(owner: string, ...rest: readonly (string | number)[]): string {
  return [owner, ...rest].join('#');
}

/** The table failed, or did not answer in time. What was asked of it may have happened all the same. */
export class TableUnavailable extends Error {
  override readonly name = 'TableUnavailable';
}

/** For `catch`, in whatever goes on without the table. */
export function unlessAvailable(error: unknown): undefined {
  if (!(error instanceof TableUnavailable)) throw error;
}

/** The time as `expiresAt` has it. */
export function expiryAt(time: number): number {
  return Math.ceil(time / 1000);
}

export function numberIn(row: Row | undefined, name: string): number | undefined {
  const value = row?.[name];
  return typeof value === 'number' ? value : undefined;
}

export function textIn(row: Row | undefined, name: string): string | undefined {
  const value = row?.[name];
  return typeof value === 'string' ? value : undefined;
}
