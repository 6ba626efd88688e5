/** The table that instances share state through: DynamoDB, or a file of a server's own. All other code uses this interface. */

export type Value = string | number | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

/** A condition of a row's attributes. One that is missing fulfils `absent` and no comparison. */
export type Condition =
  | readonly [attribute: string, is: '=' | '<' | '<=', value: Value]
  | { readonly absent: string }
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] };

/** A change of one row, as data, so that each driver writes it in its own language. An attribute occurs once. */
export interface Change {
  /** Attributes with their new values. */
  readonly set?: Readonly<Record<string, Value>>;
  /** Amounts to add to attributes; one that is missing counts as 0. */
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
  /** The change is made only if this holds. */
  readonly when?: Condition;
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
