import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyTickers, NOW, tickerOf } from '../../../test/snapshot/tickers.ts';
import type { Ticker } from '../ticker.ts';
import { listedCoins } from './listed-coins.ts';

import { openSnapshot } from './snapshot.ts';
import { encodeSnapshot } from './snapshot-writer.ts';

const content = { takenAt: NOW, intervalSeconds: 600, source: 'simulated' } as const;

describe('a snapshot', () => {
  it('returns every ticker as it was written, whatever its id and texts', () => {
    fc.assert(
      fc.property(anyTickers, fc.string(), (tickers, other) => {
        const snapshot = openSnapshot(encodeSnapshot({ ...content, tickers }));

        // Nobody can ask for an id that is not well-formed.
        const known = tickers.filter(({ id }) => id.isWellFormed() && !id.startsWith('\0'));
        expect(snapshot.rows).toBe(known.length);
        for (const ticker of known) {
          // JSON has no negative zero and no lone surrogates of its own; both come back as they were sent.
          expect(snapshot.ticker(ticker.id)).toEqual({
            data: ticker,
            madeAt: Date.parse(ticker.last_updated ?? ''),
            source: 'simulated',
            storedAt: NOW,
            freshUntil: NOW + 600_000,
            staleUntil: NOW - 60_000 + 1_200_000 + 12 * 3_600_000,
          });
        }
        if (!tickers.some(({ id }) => id === other)) expect(snapshot.ticker(other)).toBeUndefined();
      }),
    );
  });

  it('lists all coins with their figures', () => {
    const prices = [{ exchange: 'kraken', price: 5 }];
    const sources = { agreeing: 2, of: 3, spreadPercent: 0.5, prices };
    const [first, ...others] = ['a', 'b', 'c', '战旗'].map((id, index) => ({
      ...tickerOf(id, 5),
      rank: index,
    }));
    if (!first) throw new Error('There are four');
    const [own, ...older] = others;
    const bytes = encodeSnapshot({
      ...{ ...content, disputed: new Set(['b']), tickers: [first, ...(own ? [{ ...own, sources }] : [])] },
      others: older.map((ticker) => ({ ticker, takenAt: NOW - 600_000, source: 'kraken' })),
    });
    const listed = listedCoins(openSnapshot(bytes).list);
    const figures = {
      ...{ price: 5, volume: null, marketCap: null, believedCap: null, change24h: null },
      madeAt: NOW - 60_000,
    };
    const now = { isPast: false, source: 'simulated', staleUntil: NOW - 60_000 + 1_200_000 + 12 * 3_600_000 };
    const past = { isPast: true, source: 'kraken', staleUntil: now.staleUntil - 540_000 };
    expect(listed).toEqual([
      { id: 'a', rank: null, ...figures, ...now, isDisputed: false, isConfirmed: false },
      { id: 'b', rank: 1, ...figures, ...now, isDisputed: true, isConfirmed: true },
      { id: 'c', rank: 2, ...figures, ...past, isDisputed: false, isConfirmed: false },
      { id: '战旗', rank: 3, ...figures, ...past, isDisputed: false, isConfirmed: false },
    ]);
  });

  it('has its time, interval and source, at any offset in memory', () => {
    const bytes = encodeSnapshot({ ...content, tickers: [{ ...tickerOf('a'), last_updated: null }] });
    const larger = Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(5)]);
    const snapshot = openSnapshot(larger.subarray(3, 3 + bytes.length));
    expect(snapshot).toMatchObject({ rows: 1, takenAt: NOW, intervalMs: 600_000, source: 'simulated' });
    expect(snapshot.ticker('a')?.madeAt).toBe(NOW); // it has no time of its own
  });

  it('returns each row’s source, quality and agreement, by default those of the snapshot', () => {
    const sources = { agreeing: 1, of: 3, spreadPercent: 0.5, prices: [] };
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ ...tickerOf(id), sources }));
    if (!a || !b || !c || !d) throw new Error('There are four');
    const opened = openSnapshot(
      encodeSnapshot({
        ...content,
        tickers: [a, b],
        disputed: new Set(['b']),
        others: [
          { ticker: c, takenAt: NOW - 600_000, source: 'simulated', quality: 'disputed' },
          { ticker: d, takenAt: NOW, source: 'coinbase,kraken' },
        ],
      }),
    );

    expect(opened.ticker('a')).toMatchObject({ data: a, source: 'simulated', storedAt: NOW });
    expect(opened.ticker('a')?.quality).toBeUndefined();
    expect(opened.ticker('b')).toMatchObject({ data: b, quality: 'disputed' });
    expect(opened.ticker('c')).toMatchObject({ data: c, quality: 'disputed', storedAt: NOW - 600_000 });
    expect(opened.ticker('d')).toMatchObject({ data: d, source: 'coinbase,kraken', storedAt: NOW });
    expect(opened.ticker('d')?.quality).toBeUndefined();
  });

  const agreement = { agreeing: 1, of: 1, spreadPercent: 0, prices: [] };
  it.each([
    ['of the version before', undefined, null],
    ['of a later one', { agreeing: 'most' }, null],
    ['with more in it', { ...agreement, of24h: 2 }, agreement],
    ['of a version that did not keep prices', { ...agreement, prices: undefined }, null],
  ])('reads a row %s', (_what, written, sources) => {
    const row = { ...tickerOf('a'), quality: 'perfect', source: 7, sources: written } as unknown as Ticker;
    const read = openSnapshot(encodeSnapshot({ ...content, tickers: [row] })).ticker('a');

    expect(read).toMatchObject({ data: { ...tickerOf('a'), sources }, source: 'simulated' });
    expect(read?.quality).toBeUndefined();
  });

  it('leaves out a row that this version cannot read', () => {
    const foreign = { ...tickerOf('a'), symbol: 7 as unknown as string }; // as another version may write it
    const snapshot = openSnapshot(encodeSnapshot({ ...content, tickers: [foreign, tickerOf('b')] }));

    expect(snapshot.ticker('a')).toBeUndefined();
    expect(snapshot.ticker('b')).toBeDefined();
  });
});
