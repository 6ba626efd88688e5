/** The part of DynamoDB that instances share state through. All other code uses this interface. */

export type Value = string | number | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

export interface Change {
  /** DynamoDB's update expression; every `#word` in it stands for the attribute `word`. */
  readonly update: string;
  /** The condition of the change, in the same form. */
  readonly condition?: string;
  readonly values?: Readonly<Record<`:${string}`, Value>>;
}

export interface Updated {
  readonly applied: boolean;
  /** The row after the change, or the current one if the condition does not hold; undefined without a row. */
  readonly row: Row | undefined;
}

export interface SharedTable {
  /** A strongly consistent read. Rows past their `expiresAt` may still exist. */
  get(key: string): Promise<Row | undefined>;
  /** Changes one row atomically, and creates it if there is none. */
  update(key: string, change: Change): Promise<Updated>;
}

/** The partition key, and the attribute (seconds since the epoch) after which DynamoDB may remove a row. */
export const KEY_ATTRIBUTE = 'key';
export const EXPIRY_ATTRIBUTE = 'expiresAt';

/**
 * A row's key. It begins with its owner, a provider or a domain: a function's role reaches only the rows of the owners that its
 * route or job names as `rows`.
 */
export function rowKey(owner: string, ...rest: readonly (string | number)[]): string {
  return [owner, ...rest].join('#');
}

/** The table failed or did not respond in time. The change may have happened all the same. */
export class TableUnavailable extends Error {
  override readonly name = 'TableUnavailable';
}

/** A handler for `catch` in code that continues without the table. */
export function unlessAvailable(error: unknown): undefined {
  if (!(error instanceof TableUnavailable)) throw error;
}

/** The time in the unit of `expiresAt`. */
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
