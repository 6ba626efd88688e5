import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { Place, Sort } from '../listing/order.ts';

/**
 * The place of a page's last coin, as a text that callers hand back. It holds the figures that the coin was sorted by
 * and no position, so that it is the same place in the next snapshot.
 */
export function cursorOf({ value, rank, id }: Place, sort: Sort): string {
  return Buffer.from(JSON.stringify([sort, value, rank, id])).toString('base64url');
}

/** Throws 400 for a text that is no cursor, and for one of another order. */
export function placeIn(cursor: string, sort: Sort): Place {
  const [ofSort, value, rank, id] = fieldsOf(cursor);
  if (!isFigure(value) || !isFigure(rank) || typeof id !== 'string')
    throw invalidParameter('cursor', cursor, 'nextCursor of the page before');
  if (ofSort !== sort) throw invalidParameter('cursor', cursor, `one that sort=${sort} gave`);
  return { value, rank, id };
}

function fieldsOf(cursor: string): readonly unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(fields) ? fields : [];
  } catch {
    return [];
  }
}

function isFigure(value: unknown): value is number | null {
  return value === null || Number.isFinite(value);
}
