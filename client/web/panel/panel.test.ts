import { describe, expect, test } from 'vitest';
import { type CardRequest, cardRequestsOf, keyOf } from './card-request.ts';
import { customLabel, intervalChoices, withInterval, withLimit } from './ranges.ts';

const request: CardRequest = {
  coin: { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true },
  compared: [],
  isLogarithmic: false,
  command: {
    name: 'chart',
    compare: [],
    symbol: 'btc-bitcoin',
    protocol: 'coinpaprika',
    style: 'line',
    range: { limit: 7 },
  },
};

describe('what a card shows', () => {
  test('survives being stored', () => {
    expect(cardRequestsOf(JSON.parse(JSON.stringify([request])))).toEqual([request]);
  });

  test.each([
    null,
    {},
    'cards',
    [null],
    [{ coin: {} }],
    [{ coin: request.coin, command: { protocol: 'gone' } }],
  ])('is nothing where %j was stored', (value) => {
    expect(cardRequestsOf(value)).toEqual([]);
  });

  test('is the same whether the defaults are named or not, and whether as candles or as a line', () => {
    const { command } = request;
    const named = { interval: '24h', limit: 30, quote: 'usd' } as const;
    expect(keyOf({ ...request, command: { ...command, range: {} } })).toBe(
      keyOf({ ...request, command: { ...command, style: 'candles', range: named } }),
    );
    expect(keyOf(request)).not.toBe(keyOf({ ...request, command: { ...command, range: { limit: 8 } } }));
  });
});

describe('ranges', () => {
  test('none is longer than one request gives', () => {
    const days = { '1h': 1 / 24, '24h': 1, '7d': 7, '14d': 14, '30d': 30, '90d': 90, '365d': 365 };
    for (const [interval, { ranges, limit }] of Object.entries(intervalChoices)) {
      const step = days[interval as keyof typeof days];
      expect(ranges.map((range) => range.limit)).toContain(limit);
      for (const range of ranges) expect(range.limit * step).toBeLessThanOrEqual(366);
    }
  });

  test('a new interval comes with its own number of candles, and keeps a time that was asked for', () => {
    expect(withInterval({ limit: 7, quote: 'btc' }, '7d')).toEqual({
      interval: '7d',
      limit: 26,
      quote: 'btc',
    });
    expect(withInterval({ start: '2026-01-01' }, '7d')).toEqual({
      interval: '7d',
      limit: 366,
      start: '2026-01-01',
    });
  });

  test('a new number of candles ends now', () => {
    expect(withLimit({ interval: '7d', start: '2026-01-01', end: '2026-02-01' }, 12)).toEqual({
      interval: '7d',
      limit: 12,
    });
  });

  test.each([
    [{ limit: 45 }, '45 candles'],
    [{ limit: 45, end: '2026-02-01' }, '45 candles to 2026-02-01'],
    [{ start: '2026-01-01' }, 'from 2026-01-01'],
    [{ start: '2026-01-01', end: '2026-02-01' }, '2026-01-01 to 2026-02-01'],
  ])('%j is called %s', (range, label) => {
    expect(customLabel(range)).toBe(label);
  });
});
