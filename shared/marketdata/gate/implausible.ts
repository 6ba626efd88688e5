/** Bounds for data of any kind: figures, jumps, and the share of impossible rows. */
import { count } from '../../platform/metrics.ts';

/** Why data is refused. */
export type Reason =
  | 'Identity'
  | 'Price'
  | 'Figure'
  | 'Time'
  | 'Older'
  | 'Text'
  | 'Candle'
  | 'Empty'
  | 'Drop'
  | 'Jump';
export type Problem = readonly [reason: Reason, text: string];

/**
 * Data that is well-formed and cannot be true. The message says what, without the provider's name. Each one is counted as
 * `Implausible<reason>`, never by coin.
 */
export class Implausible extends Error {
  override readonly name = 'Implausible';

  constructor(...[reason, text]: Problem) {
    super(text);
    count(`Implausible${reason}`);
  }
}

/** Real prices go down to 4e-18 dollars; the dearest coins cost some hundred thousand. */
const MAX_PRICE = 1e15;

/** The bounds of a change in 24 hours, in percent: nothing loses more than its price, and nothing ever grew ten thousandfold. */
const CHANGES = { least: -100, most: 1e6 } as const;

/** The first block of Bitcoin: a time before it is in another unit. */
export const FIRST_TIME = Date.UTC(2009, 0, 3);

export function isPrice(value: number): boolean {
  return value > 0 && value < MAX_PRICE;
}

export function isChange(percent: number): boolean {
  return percent >= CHANGES.least && percent < CHANGES.most;
}

/** A price that is three times as high, or a third, of the one before. */
export const JUMP = 3;
/** A price that is more than 1.5 times another is another price. */
const NEAR = 1.5;

/** Whether one price is at least three times the other. */
export function isFar(before: number, after: number): boolean {
  return after >= before * JUMP || after * JUMP <= before;
}

/** Whether neither price is more than 1.5 times the other. */
export function isNear(before: number, after: number): boolean {
  return after <= before * NEAR && before <= after * NEAR;
}

/** Whether a tenth of all prices jumped at once, which means mixed-up units or rows. Single coins do jump. */
export function isJump(pairs: readonly (readonly [before: number, after: number])[]): boolean {
  return isTenth(pairs.filter(([before, after]) => isFar(before, after)).length, pairs.length);
}

const SHARE = 0.1;

/** Whether several rows are a tenth of a list: then the list is wrong, not a row. */
export function isTenth(some: number, all: number): boolean {
  return some > 1 && some >= all * SHARE;
}

/**
 * Rows by key, each once; undefined if `problemOf` finds one impossible. Equal rows of a key are one; of different ones the
 * second is `repeated`, because neither is known to be true. Throws Implausible if a tenth are impossible; with `mayBeOne`, if
 * several or all are. Rows that are left out are counted.
 */
export function possibleRows<Row, Key>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => Key,
  problemOf: (row: Row, isRepeated: boolean) => Problem | undefined,
  { mayBeOne = false } = {},
): ReadonlyMap<Key, Row | undefined> {
  const byKey = new Map<Key, Row | undefined>();
  let problem: Problem | undefined;
  for (const row of rows) {
    const key = keyOf(row);
    const isRepeated = byKey.has(key) && JSON.stringify(byKey.get(key)) !== JSON.stringify(row);
    const own = problemOf(row, isRepeated);
    byKey.set(key, own ? undefined : row);
    problem = own ?? problem;
  }
  if (!problem) return byKey;
  const bad = [...byKey.values()].filter((row) => row === undefined).length;
  const areMany = mayBeOne ? isTenth(bad, byKey.size) : bad >= byKey.size * SHARE;
  if (areMany || bad === byKey.size) throw new Implausible(...problem);
  count(`Implausible${problem[0]}`, bad);
  return byKey;
}
