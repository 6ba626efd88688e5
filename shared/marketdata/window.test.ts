import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedCandles } from '../../test/marketdata/oracle.ts';
import { type Interval, intervals, type WindowParameters, windowOf } from './window.ts';

const iso = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z');

describe('a window', () => {
  const now = '2026-03-10T12:00:00Z';
  it.each<[string, Partial<WindowParameters>, string, string, boolean]>([
    ['2026-01-10T00:00:00Z', { limit: 1 }, '2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z', false],
    ['2024-03-01T12:00:00Z', { limit: 2 }, '2024-02-29T00:00:00Z', '2024-03-02T00:00:00Z', false],
    [now, { interval: '7d', limit: 2 }, '2026-02-25T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [now, { limit: 2, end: '2026-01-31' }, '2026-01-30T00:00:00Z', '2026-02-01T00:00:00Z', true],
    [now, { limit: 2, end: '2026-01-31T00:00:00Z' }, '2026-01-29T00:00:00Z', '2026-01-31T00:00:00Z', true],
    [
      now,
      { limit: 1, end: '2026-01-31T23:30:00-01:00' },
      '2026-02-01T00:00:00Z',
      '2026-02-02T00:00:00Z',
      true,
    ],
    [now, { limit: 1, end: '2030-01-01' }, '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [now, { limit: 1, start: '2026-01-31T15:00:00Z' }, '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', true],
    [now, { start: '2026-03-08' }, '2026-03-08T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [now, { start: '2026-01-05', end: '2026-01-05' }, '2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z', true],
    [
      now,
      { interval: '7d', limit: 3, start: '2026-02-01' },
      '2026-02-01T00:00:00Z',
      '2026-02-22T00:00:00Z',
      true,
    ],
  ])('at %s of %j is from %s to %s', (at, asked, from, to, closed) => {
    const window = windowOf({ interval: '24h', limit: 30, ...asked }, Date.parse(at));
    expect([iso(window.from), iso(window.to), window.closed]).toEqual([from, to, closed]);
  });

  it('has the intervals of a calendar, at most 366 base candles and `limit` candles', () => {
    const names = Object.keys(intervals) as Interval[]; // its keys are the intervals
    const now = Date.parse('2026-03-10T12:00:00Z');
    const moment = fc
      .date({ min: new Date('2025-06-01'), max: new Date('2026-03-12'), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 19)}Z`);
    const day = moment.map((time) => time.slice(0, 10));
    const text = fc.option(fc.oneof(moment, day), { nil: undefined });
    const limit = fc.integer({ min: 1, max: 366 });
    const any = fc.record({ interval: fc.constantFrom(...names), limit, start: text, end: text });
    let usable = 0;
    fc.assert(
      fc.property(any, (parameters) => {
        let window: ReturnType<typeof windowOf>;
        try {
          window = windowOf(parameters, now);
        } catch (error) {
          expect(error).toMatchObject({ statusCode: 400 });
          return;
        }
        usable += 1;
        const { from, to, stepMs, size, closed } = window;
        const opens = expectedCandles(parameters, now).flatMap((candle) => candle.opens);
        expect([from, to, closed]).toEqual([opens[0], (opens.at(-1) ?? 0) + stepMs, to <= now]);
        expect(opens).toHaveLength((to - from) / stepMs);
        expect(opens.length).toBeLessThanOrEqual(Math.min(366, parameters.limit * size));
      }),
      { numRuns: 300 },
    );
    expect(usable).toBeGreaterThan(100);
  });
});

describe('a window that cannot be', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const aTime = 'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z';
  it.each<[Partial<WindowParameters>, string]>([
    [{ start: 'yesterday' }, `Invalid parameter start: "yesterday"; allowed: ${aTime}`],
    [{ end: '2026-02-30' }, `Invalid parameter end: "2026-02-30"; allowed: ${aTime}`],
    [
      { start: '2026-03-11' },
      'Invalid parameter start: "2026-03-11"; allowed: a time that is not in the future',
    ],
    [
      { start: '2026-01-05T12:00:00Z', end: '2026-01-05T14:00:00+03:00' },
      'Invalid parameter start: "2026-01-05T12:00:00Z"; allowed: a time before end (2026-01-05T14:00:00+03:00)',
    ],
  ])('is a 400 that names the parameter: %j', (asked, message) => {
    const ask = () => windowOf({ interval: '24h', limit: 30, ...asked }, now);

    expect(ask).toThrow(expect.objectContaining({ statusCode: 400, message }));
  });
});
