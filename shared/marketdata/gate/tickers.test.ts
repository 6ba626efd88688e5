import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOW, snapshotOf, tickerOf } from '../../../test/snapshot/tickers.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';
import { encodeSnapshot, type OwnRow } from '../store/snapshot-writer.ts';
import type { Ticker } from '../ticker.ts';
import { Implausible } from './implausible.ts';
import { type AcceptedTickers, acceptTickers } from './tickers.ts';

const TAKEN = NOW - 600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const ids = (count: number) => Array.from({ length: count }, (_, n) => `coin-${n}`);
const at = (ms: number) => new Date(NOW + ms).toISOString();

/** A list of `count` rows, the first of them changed. */
function rows(count: number, changed = 0, changes: (row: Ticker) => Ticker = (row) => row): Ticker[] {
  return ids(count).map((id, index) => (index < changed ? changes(tickerOf(id)) : tickerOf(id)));
}

const costing = (price: number) => (row: Ticker) => ({
  ...row,
  quotes: { USD: { ...row.quotes.USD, price } },
});
const updated = (ms: number) => (row: Ticker) => ({ ...row, last_updated: at(ms) });

const published = (count: number, takenAt = TAKEN) => openSnapshot(snapshotOf(ids(count), { takenAt }));
const accept = (tickers: readonly Ticker[], previous?: Snapshot, refused: readonly string[] = []) =>
  acceptTickers(
    { tickers, unreadable: refused.map((row) => ({ row, why: 'bad' })) },
    { takenAt: NOW, last: { published: previous, list: previous } },
  );
const tickersIn = ({ rows: judged }: AcceptedTickers) =>
  judged.flatMap(({ row }) => (row.takenAt === NOW && !row.withheld ? row.ticker : []));
const shown = (carried: readonly OwnRow[]) => carried.filter(({ withheld }) => withheld === undefined);
const idsOf = (tickers: readonly Ticker[]) => tickers.map(({ id }) => id);

describe('the first snapshot', () => {
  it('may be of any tickers, but not of none', () => {
    const first = accept(rows(1));
    expect(first).toMatchObject({ takenAt: NOW, unreadable: [], carried: [] });
    expect(tickersIn(first)).toEqual(rows(1));
    expect(() => accept([])).toThrow(new Implausible('Empty', 'no tickers'));
  });
});

describe('a list that follows a snapshot', () => {
  it('may have one coin whose price jumps, and not a tenth of them', () => {
    const { rows: judged } = accept(rows(10, 1, costing(100)), published(10));
    expect(judged.map(({ held }) => held)).toEqual(['100 USD, which was 1', ...Array(9).fill(undefined)]);
    expect(() => accept(rows(100, 10, costing(100)), published(100))).toThrow(
      new Implausible('Jump', 'the prices of a tenth of all 100 coins jumped at once'),
    );
  });

  it('leaves a few rows that are older as they were, and is refused if they are a tenth', () => {
    const older = updated(-HOUR_MS);
    const accepted = accept(rows(100, 9, older), published(100));
    expect(idsOf(tickersIn(accepted))).toEqual(ids(100).slice(9));
    expect(accepted.carried).toMatchObject(
      ids(9).map((id) => ({ ticker: tickerOf(id), takenAt: TAKEN, source: 'simulated' })),
    );
    expect(() => accept(rows(100, 10, older), published(100))).toThrow(
      new Implausible('Older', '10 of 100 tickers are older than the published ones'),
    );
    expect(() => accept(rows(100, 100, older), published(100, NOW - 48 * HOUR_MS))).toThrow(
      'no news since 2026-09-18T03:10:00Z',
    );
  });

  it('carries the rows of coins that cannot be true, each once, and drops those it does not name', () => {
    const accepted = accept(rows(8), published(10), ['coin-8', 'coin-8', 'coin-1', 'row 77']);
    expect(idsOf(tickersIn(accepted))).toEqual(ids(8));
    const [kept, left] = accepted.carried;
    expect(kept).toMatchObject({ ticker: tickerOf('coin-8'), takenAt: TAKEN, source: 'simulated' });
    expect(left).toMatchObject({ ticker: tickerOf('coin-9'), withheld: 'left' });
  });

  it('carries a row for as long as it may stand in, counted from when it was taken', () => {
    const last = 2 * 600_000 + 12 * HOUR_MS;
    const accepted = (age: number) => shown(accept(rows(9), published(10, NOW - age), ['coin-9']).carried);
    expect(accepted(last - 1)).toHaveLength(1);
    expect(accepted(last)).toEqual([]);
  });

  it('carries a row that was carried with its first time, source and quality', () => {
    const ticker = tickerOf('coin-9');
    const others = [{ ticker, takenAt: NOW - HOUR_MS, source: 'kraken', quality: 'disputed' as const }];
    const content = { tickers: rows(9), others, takenAt: TAKEN, intervalSeconds: 600, source: 'simulated' };
    const previous = openSnapshot(encodeSnapshot(content));
    expect(accept(rows(9), previous, ['coin-9']).carried).toMatchObject(others);
  });

  it.each<[string, (row: Ticker) => Ticker]>([
    ['names', (row) => ({ ...row, name: 'Other' })],
    ['symbols', (row) => ({ ...row, symbol: 'OTHER' })],
    ['ranks', (row) => ({ ...row, rank: 0 })],
  ])('may have a few other %s, and not a tenth of them', (_what, change) => {
    const ranked = (count: number, changed = 0) =>
      rows(count)
        .map((row) => ({ ...row, rank: 700 }))
        .map((row, index) => (index < changed ? change(row) : row));
    const content = { takenAt: TAKEN, intervalSeconds: 600, source: 'simulated' };
    const previous = openSnapshot(encodeSnapshot({ ...content, tickers: ranked(100) }));
    expect(accept(ranked(100, 9), previous)).toMatchObject({ carried: [], unreadable: [] });
    expect(() => accept(ranked(100, 10), previous)).toThrow(
      new Implausible('Text', '10 of 100 coins have another name or symbol than published, or no rank'),
    );
  });
});
