import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lifetimes } from './lifetimes.ts';
import type { ProviderRequest } from './provider.ts';
import type { Kept } from './provider-client.ts';
import {
  isEnough,
  isSettled,
  knownUntil,
  type Piece,
  piecesOf,
  runningFrom,
  type Series,
  seriesRequest,
} from './series.ts';
import { type BaseInterval, closeAfter, type Span } from './window.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 8, 18, 4, 10);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const stepOf = (base: BaseInterval) => (base === '1h' ? HOUR_MS : DAY_MS);

/** A window of so many base intervals, the last of which is so many before the running one. */
function windowOf(base: BaseInterval, size: number, before: number, now = NOW): Span {
  const stepMs = stepOf(base);
  const to = closeAfter(now, base) - before * stepMs;
  return { base, stepMs, from: to - size * stepMs, to, closed: before > 0 };
}

/** The opening times of all base intervals. */
function opensOf({ from, to, stepMs }: Pick<Span, 'from' | 'to' | 'stepMs'>): number[] {
  return Array.from({ length: Math.max(0, (to - from) / stepMs) }, (_, index) => from + index * stepMs);
}

const bases = fc.constantFrom<BaseInterval>('1h', '24h');
const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) });
const limitsOf = (rows: number, latest = rows) => ({ rows, latest });
const anyLimits = fc.constantFrom(limitsOf(365), limitsOf(366), limitsOf(5_000, 365));

describe('the pieces of a window', () => {
  it('cover each of its base intervals exactly once, if each begins where the one before it ends', () => {
    const windows = fc.tuple(bases, fc.integer({ min: 1, max: 366 }), fc.integer({ min: 0, max: 3_000 }));
    fc.assert(
      fc.property(windows, moments, anyLimits, ([base, size, before], now, limits) => {
        const window = windowOf(base, size, before, now);
        const opens: number[] = [];
        let covered = window.from;
        for (const piece of piecesOf(window, limits, now)) {
          expect(piece.from).toBeLessThanOrEqual(covered);
          const to = Math.min(window.to, piece.to);
          opens.push(...opensOf({ ...window, from: covered, to }));
          covered = to;
        }
        expect(opens).toEqual(opensOf(window));
      }),
    );
  });

  it('have no more rows than one request gives, and are closed unless the running one is among them', () => {
    const windows = fc.tuple(bases, fc.integer({ min: 1, max: 366 }), fc.integer({ min: 0, max: 3_000 }));
    fc.assert(
      fc.property(windows, moments, anyLimits, ([base, size, before], now, limits) => {
        for (const piece of piecesOf(windowOf(base, size, before, now), limits, now)) {
          expect((piece.to - piece.from) / piece.stepMs).toBeLessThanOrEqual(limits.rows);
          expect(piece.from % piece.stepMs).toBe(0);
          expect(piece.closed).toBe(piece.to <= runningFrom(now, piece));
          if (piece.name === 'latest') expect(piece.closed).toBe(false);
        }
      }),
    );
  });

  it.each([365, 366])('are one for a window of half of %i rows that is not of the latest', (rows) => {
    const half = Math.floor(rows / 2);
    for (let before = rows; before < rows + 2 * half; before += 1) {
      expect(piecesOf(windowOf('24h', half, before), limitsOf(rows), NOW)).toHaveLength(1);
      expect(piecesOf(windowOf('24h', half + 1, before), limitsOf(rows), NOW).length).toBeLessThanOrEqual(2);
    }
  });

  it.each([
    [366, 0, 366],
    [365, 1, 366],
    [1, 0, 365],
    [365, 0, 365],
  ])(
    'are the latest one for %i days that end %i before the running one, of %i rows',
    (size, before, rows) => {
      expect(piecesOf(windowOf('24h', size, before), limitsOf(rows), NOW).map(({ name }) => name)).toEqual([
        'latest',
      ]);
    },
  );

  it('are the closed one before and the latest for a window that begins a day earlier', () => {
    const pieces = piecesOf(windowOf('24h', 366, 1), limitsOf(366), NOW);
    expect(pieces.map(({ name, closed }) => [name, closed])).toEqual([
      ['2025-08-13T00:00:00Z', true],
      ['latest', false],
    ]);
  });

  it('are one for a short window that begins before the latest and ends in it', () => {
    for (let before = 337; before < 366; before += 1) {
      expect(piecesOf(windowOf('24h', 30, before), limitsOf(366), NOW)).toHaveLength(1);
    }
  });

  it('are one for each window, whenever it ends, if one request gives two of the longest', () => {
    const windows = fc.tuple(bases, fc.integer({ min: 1, max: 367 }), fc.integer({ min: 0, max: 3_000 }));
    fc.assert(
      fc.property(windows, moments, ([base, size, before], now) => {
        const [piece, ...others] = piecesOf(windowOf(base, size, before, now), limitsOf(5_000, 365), now);
        expect(others).toEqual([]);
        expect(((piece?.to ?? 0) - (piece?.from ?? 0)) / stepOf(base)).toBeLessThanOrEqual(734);
      }),
    );
  });

  it('have few names, whichever windows are asked for and whenever', () => {
    const years = 6;
    const names = new Set<string>();
    for (let day = 0; day < years * 365; day += 1) {
      for (const size of [1, 30, 182, 183, 366]) {
        for (const { name } of piecesOf(windowOf('24h', size, day), limitsOf(366), NOW + (day % 7) * DAY_MS))
          names.add(name);
      }
    }
    expect(names.size).toBeLessThanOrEqual(1 + Math.ceil(((years + 1) * 365 + 7) / 183) + 1);
  });
});

/** A kept run of rows that was asked for and made some time ago. */
function kept(ageMs: number, changes: Partial<Kept<Series<number>>> = {}): Kept<Series<number>> {
  const at = NOW - ageMs;
  return {
    data: { from: NOW - 100 * DAY_MS, askedAt: at, rows: [1] },
    source: 'test',
    madeAt: at,
    storedAt: at,
    freshUntil: at + lifetimes.history.runningMs,
    staleUntil: at + lifetimes.history.staleForMs,
    ...changes,
  };
}

describe('kept rows', () => {
  const current = windowOf('24h', 30, 0);
  const isEnoughFor = (window: Span, of: Kept<Series<number>>, priceAt?: number) =>
    isEnough(of, window, priceAt, NOW);

  it('say what there was to say when they were asked for, or made if that is longer ago', () => {
    const data = { from: 0, askedAt: NOW - 5, rows: [] };
    expect(knownUntil({ madeAt: NOW - 3, data })).toBe(NOW - 5);
    expect(knownUntil({ madeAt: NOW - 7, data })).toBe(NOW - 7);
  });

  it('are enough while they are fresh, and not a moment longer', () => {
    const { runningMs } = lifetimes.history;
    expect(isEnoughFor(current, kept(runningMs - 1))).toBe(true);
    expect(isEnoughFor(current, kept(runningMs))).toBe(false);
  });

  it('are never enough for a window that begins before them', () => {
    const { from, askedAt, rows } = kept(0).data;
    const later = { from: current.from + 1, askedAt, rows };
    expect(isEnoughFor(current, kept(0, { data: later }))).toBe(false);
    expect(isEnoughFor({ ...current, from }, kept(0))).toBe(true);
  });

  it('are enough for days that had closed ten minutes before, until they may not stand in any more', () => {
    const yesterdays = windowOf('24h', 30, 1);
    const midnight = NOW - yesterdays.to;
    expect(isEnoughFor(yesterdays, kept(midnight - 600_000, { freshUntil: 0 }))).toBe(true);
    expect(isEnoughFor(yesterdays, kept(midnight - 599_999, { freshUntil: 0 }))).toBe(false);
    expect(isSettled(yesterdays, yesterdays.to + 600_000)).toBe(true);
    expect(isSettled(yesterdays, yesterdays.to + 599_999)).toBe(false);
    expect(isEnoughFor(yesterdays, kept(0, { freshUntil: 0, staleUntil: NOW }))).toBe(false);
  });

  describe('that have the running candle but are not fresh', () => {
    const outdated = kept(3 * HOUR_MS);

    it.each([
      ['newer', kept(HOUR_MS, { freshUntil: 0 }), HOUR_MS - 1, true],
      ['as old as they are', kept(HOUR_MS, { freshUntil: 0 }), HOUR_MS, true],
      ['older', kept(HOUR_MS, { freshUntil: 0 }), HOUR_MS + 1, false],
      ['newer, but two hours old', outdated, 2 * HOUR_MS, false],
    ])('need a price that is not older and not too old: one that is %s', (_what, rows, ageMs, expected) => {
      expect(isEnoughFor(current, rows, NOW - ageMs)).toBe(expected);
    });

    it('are not without a price', () => {
      expect(isEnoughFor(current, outdated)).toBe(false);
    });

    it('are not if there are no rows', () => {
      const data = { ...outdated.data, rows: [] };
      expect(isEnoughFor(current, kept(3 * HOUR_MS, { data }), NOW)).toBe(false);
    });

    it('are not if they are of an earlier interval than the running one', () => {
      expect(isEnoughFor(current, kept(5 * HOUR_MS), NOW)).toBe(false);
    });
  });
});

describe('the request for a piece', () => {
  const request: ProviderRequest<number[]> = {
    path: '/rows',
    coinId: 'x',
    asked: 'this history',
    read: (json) => json as number[], // what the test gives
    check: (rows, { held }) => [...rows, ...(held?.data ?? [])],
  };
  const [latest] = piecesOf(windowOf('24h', 30, 0), limitsOf(366), NOW);
  const [closed] = piecesOf(windowOf('24h', 30, 1_000), limitsOf(366), NOW);
  const of = (piece: Piece | undefined, now = NOW) => {
    if (!piece) throw new Error('there is always a piece');
    return seriesRequest(request, piece, now, {});
  };

  it('reads rows with where they begin and when they were asked for', () => {
    expect(of(latest).read([1])).toEqual({ from: latest?.from, askedAt: NOW, rows: [1] });
    expect(of(latest)).toMatchObject({ path: '/rows', coinId: 'x', asked: 'this history' });
  });

  it('has its rows checked beside those that are known', () => {
    const series = of(latest).read([1]);
    const held = kept(0, { data: { from: 0, askedAt: 0, rows: [2] } });
    expect(of(latest).check?.(series, { held })).toEqual({ ...series, rows: [1, 2], isConfirmed: false });
    expect(of(latest).check?.(series, { price: 1 })).toEqual({ ...series, isConfirmed: true });
  });

  it('is fresh for two hours, or until the running interval closes', () => {
    const { runningMs } = lifetimes.history;
    const midnight = closeAfter(NOW, '24h');
    expect(of(latest).freshUntil(NOW, of(latest).read([1]))).toBe(NOW + runningMs);
    const late = midnight - 1000;
    expect(of(latest, late).freshUntil(late, of(latest).read([1]))).toBe(midnight);
  });

  it('is fresh for ten minutes if there are no rows, and for a week if all are closed', () => {
    const { emptyMs, staleForMs } = lifetimes.history;
    expect(of(closed).freshUntil(NOW, of(closed).read([]))).toBe(NOW + emptyMs);
    expect(of(closed).freshUntil(NOW, of(closed).read([1]))).toBe(NOW + staleForMs);
  });

  it('asks for what was given only if it does not begin before that', () => {
    const from = latest?.from ?? 0;
    expect(of(latest).wasGiven?.({ from, askedAt: 0, rows: [] })).toBe(true);
    expect(of(latest).wasGiven?.({ from: from + 1, askedAt: 0, rows: [] })).toBe(false);
  });
});
