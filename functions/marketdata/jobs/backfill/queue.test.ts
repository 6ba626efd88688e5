import { describe, expect, it } from 'vitest';
import type { Wish } from '../../../../shared/marketdata/provider-client.ts';
import type { Asked } from '../../../../shared/marketdata/store/backfill-note.ts';
import { neverAsked, queueOf } from './queue.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const TODAY = Date.parse('2026-11-21T00:00:00Z');
const NOW = TODAY + 12 * HOUR_MS;

const wish = (id: string, asked = 1, base: Wish['base'] = '24h'): Wish => ({ id, base, asked, at: NOW });
/** Asked for so many days ago, and known up to then. */
const known = (days: number): Asked => ({
  through: TODAY - days * DAY_MS,
  at: NOW - days * DAY_MS,
  failed: false,
});
const nothing = (days: number): Asked => ({ through: 'nothing', at: NOW - days * DAY_MS, failed: false });
const failed = (hours: number, through: Asked['through'] = 'never'): Asked => ({
  through,
  at: NOW - hours * HOUR_MS,
  failed: true,
});

interface Given {
  readonly coins?: readonly string[];
  readonly wishes?: readonly Wish[];
  readonly asked?: Readonly<Record<string, Asked>>;
  readonly sampled?: readonly string[];
  readonly traded?: readonly string[];
}

function queued({ coins = [], wishes = [], asked = {}, sampled = [], traded = [] }: Given) {
  const { tasks, fulfilled } = queueOf({
    coins,
    wishes,
    asked: new Map(Object.entries(asked)),
    isSampled: (id) => sampled.includes(id),
    isServed: (id) => traded.includes(id),
    closedUntil: TODAY,
    now: NOW,
  });
  return { tasks: tasks.map(({ id, base }) => (base === '24h' ? id : `${id} ${base}`)), fulfilled };
}

describe('the queue', () => {
  it('is wishes for what nobody asked for, wishes for gaps, sampled coins, the others, and gaps', () => {
    const { tasks } = queued({
      coins: ['other-1', 'sampled-1', 'gap-new', 'other-2', 'sampled-2', 'gap-old'],
      sampled: ['sampled-1', 'sampled-2'],
      wishes: [wish('wish-gap', 9), wish('wish-1', 1), wish('wish-2', 2)],
      asked: { 'gap-new': known(3), 'gap-old': known(30), 'wish-gap': known(1) },
    });
    expect(tasks).toEqual([
      ...['wish-2', 'wish-1', 'wish-gap'],
      ...['sampled-1', 'sampled-2', 'other-1', 'other-2', 'gap-old', 'gap-new'],
    ]);
  });

  it('ends with the coins that exchanges trade, unless somebody misses something of them', () => {
    const { tasks } = queued({
      coins: ['traded-1', 'traded-2', 'sampled', 'other', 'gap'],
      sampled: ['traded-1', 'traded-2', 'sampled'],
      traded: ['traded-1', 'traded-2', 'wished'],
      wishes: [wish('wished')],
      asked: { gap: known(3) },
    });
    expect(tasks).toEqual(['wished', 'sampled', 'other', 'gap', 'traded-1', 'traded-2']);
  });

  it('has a coin once, where it is first', () => {
    expect(queued({ coins: ['a', 'b'], wishes: [wish('b')], sampled: ['a'] }).tasks).toEqual(['b', 'a']);
  });

  it('has wishes for hours with those for gaps, beside the days of the same coin', () => {
    const { tasks } = queued({
      coins: ['a', 'b'],
      wishes: [wish('a', 5, '1h'), wish('b', 1), wish('c', 2)],
      asked: { c: known(1) },
    });
    expect(tasks).toEqual(['b', 'a 1h', 'c', 'a']);
  });

  it('has a sampled coin once, because samples bring the days that follow', () => {
    expect(queued({ coins: ['a'], sampled: ['a'], asked: { a: known(100) } }).tasks).toEqual([]);
    expect(
      queued({ coins: ['a'], sampled: ['a'], asked: { a: known(100) }, wishes: [wish('a')] }).tasks,
    ).toEqual(['a']);
  });

  it('tells of wishes that are fulfilled, and of those that nobody can fulfil', () => {
    const wishes = [wish('a'), wish('b'), wish('c'), wish('a', 1, '1h')];
    const { tasks, fulfilled } = queued({ wishes, asked: { a: known(0), b: nothing(3), c: nothing(31) } });
    expect(fulfilled).toEqual([wish('a'), wish('b')]);
    expect(tasks).toEqual(['c', 'a 1h']);
  });

  it('leaves a coin without a past alone for a month, and one that failed for six hours', () => {
    const asked = {
      a: nothing(29),
      b: nothing(30),
      c: failed(5),
      d: failed(6),
      e: failed(5, TODAY - DAY_MS),
    };
    expect(queued({ coins: ['a', 'b', 'c', 'd', 'e'], asked }).tasks).toEqual(['d', 'b']);
    expect(queued({ wishes: [wish('c'), wish('d')], asked })).toEqual({ tasks: ['d'], fulfilled: [] });
  });

  it('counts a coin that always failed as never asked', () => {
    const asked = new Map([
      ['a', failed(1)],
      ['b', failed(1, TODAY)],
      ['c', nothing(1)],
    ]);
    expect(neverAsked(['a', 'b', 'c', 'd'], asked)).toEqual(['a', 'd']);
  });
});
