import { describe, expect, it } from 'vitest';
import type { FetchNote } from '../../../../shared/marketdata/store/past-note.ts';
import { queueOf } from './provider.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const TODAY = Date.parse('2026-11-21T00:00:00Z');
const NOW = TODAY + 12 * HOUR_MS;

/** FetchNote for so many days ago, and known up to then. */
const known = (days: number): FetchNote => ({
  through: TODAY - days * DAY_MS,
  at: NOW - days * DAY_MS,
  failed: false,
});
const nothing = (days: number): FetchNote => ({ through: 'nothing', at: NOW - days * DAY_MS, failed: false });
const failed = (hours: number, through: FetchNote['through'] = 'never'): FetchNote => ({
  through,
  at: NOW - hours * HOUR_MS,
  failed: true,
});

interface Given {
  readonly coins?: readonly string[];
  readonly notes?: Readonly<Record<string, FetchNote>>;
  readonly sampled?: readonly string[];
  readonly traded?: readonly string[];
}

function queued({ coins = [], notes = {}, sampled = [], traded = [] }: Given) {
  return queueOf({
    coins,
    notes: new Map(Object.entries(notes)),
    isSampled: (id) => sampled.includes(id),
    isServed: (id) => traded.includes(id),
    closedUntil: TODAY,
    now: NOW,
  });
}

describe('the queue', () => {
  it('is sampled coins, the others, and gaps, the oldest first', () => {
    const ids = queued({
      coins: ['other-1', 'sampled-1', 'gap-new', 'other-2', 'sampled-2', 'gap-old'],
      sampled: ['sampled-1', 'sampled-2'],
      notes: { 'gap-new': known(3), 'gap-old': known(30) },
    });
    expect(ids).toEqual(['sampled-1', 'sampled-2', 'other-1', 'other-2', 'gap-old', 'gap-new']);
  });

  it('ends with the coins that exchanges trade', () => {
    const ids = queued({
      coins: ['traded-1', 'traded-2', 'sampled', 'other', 'gap'],
      sampled: ['traded-1', 'traded-2', 'sampled'],
      traded: ['traded-1', 'traded-2'],
      notes: { gap: known(3) },
    });
    expect(ids).toEqual(['sampled', 'other', 'gap', 'traded-1', 'traded-2']);
  });

  it('has a sampled coin once, because samples bring the days that follow', () => {
    expect(queued({ coins: ['a'], sampled: ['a'], notes: { a: known(100) } })).toEqual([]);
  });

  it('leaves a coin without a past alone for a month, and one that failed for six hours', () => {
    const notes = {
      a: nothing(29),
      b: nothing(30),
      c: failed(5),
      d: failed(6),
      e: failed(5, TODAY - DAY_MS),
    };
    expect(queued({ coins: ['a', 'b', 'c', 'd', 'e'], notes })).toEqual(['d', 'b']);
  });
});
