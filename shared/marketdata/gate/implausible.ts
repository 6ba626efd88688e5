/** Data that cannot be true, and rows of which some are. */
import { count } from '../../platform/metrics.ts';
import { isShare, isTenth } from './bounds.ts';

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

/** Data under another symbol than the registry's, where nothing shows that it is the same coin's: the next registry decides. */
export class OtherSymbol extends Implausible {
  constructor(symbol: string, known: string) {
    super('Identity', `the symbol ${shown(symbol)} in place of ${shown(known)}`);
  }
}

/** A text of the provider's for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
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
  const areMany = mayBeOne ? isTenth(bad, byKey.size) : isShare(bad, byKey.size);
  if (areMany || bad === byKey.size) throw new Implausible(...problem);
  count(`Implausible${problem[0]}`, bad);
  return byKey;
}
