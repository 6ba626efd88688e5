import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Interval, intervals, type WindowParameters, windowOf } from './window.ts';

const iso = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z');

/** From, to and whether it is over, as text. */
function windowAt(now: string, asked: Partial<WindowParameters>) {
  const { from, to, closed } = windowOf({ interval: '24h', limit: 30, ...asked }, Date.parse(now));
  return [iso(from), iso(to), closed];
}

describe('without start and end', () => {
  it.each<[string, Partial<WindowParameters>, string, string]>([
    ['2026-01-10T12:00:00Z', { limit: 3 }, '2026-01-08T00:00:00Z', '2026-01-11T00:00:00Z'],
    ['2026-01-10T00:00:00Z', { limit: 1 }, '2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z'],
    ['2026-01-09T23:59:59Z', { limit: 1 }, '2026-01-09T00:00:00Z', '2026-01-10T00:00:00Z'],
    ['2026-03-01T12:00:00Z', { limit: 2 }, '2026-02-28T00:00:00Z', '2026-03-02T00:00:00Z'],
    ['2024-03-01T12:00:00Z', { limit: 2 }, '2024-02-29T00:00:00Z', '2024-03-02T00:00:00Z'],
    ['2026-01-01T00:30:00Z', { interval: '1h', limit: 2 }, '2025-12-31T23:00:00Z', '2026-01-01T01:00:00Z'],
    ['2026-01-10T12:00:00Z', { interval: '7d', limit: 2 }, '2025-12-28T00:00:00Z', '2026-01-11T00:00:00Z'],
    ['2024-12-31T12:00:00Z', { limit: 366 }, '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
  ])('at %s, %j is the last intervals with the running one', (now, asked, from, to) => {
    expect(windowAt(now, asked)).toEqual([from, to, false]);
  });
});

describe('with an end only', () => {
  const now = '2026-03-10T12:00:00Z';
  it.each<[Partial<WindowParameters>, string, string, boolean]>([
    [{ limit: 2, end: '2026-01-31' }, '2026-01-30T00:00:00Z', '2026-02-01T00:00:00Z', true],
    [{ limit: 2, end: '2026-01-31T00:00:00Z' }, '2026-01-29T00:00:00Z', '2026-01-31T00:00:00Z', true],
    [{ limit: 2, end: '2026-01-31T00:00:01Z' }, '2026-01-30T00:00:00Z', '2026-02-01T00:00:00Z', true],
    [{ limit: 2, end: '2026-01-31T23:30:00-01:00' }, '2026-01-31T00:00:00Z', '2026-02-02T00:00:00Z', true],
    [{ limit: 2, end: '2026-03-01' }, '2026-02-28T00:00:00Z', '2026-03-02T00:00:00Z', true],
    [{ limit: 1, interval: '30d', end: '2026-03-01' }, '2026-01-31T00:00:00Z', '2026-03-02T00:00:00Z', true],
    [{ limit: 1, interval: '1h', end: '2026-01-31' }, '2026-01-31T23:00:00Z', '2026-02-01T00:00:00Z', true],
    [{ limit: 1, end: '2026-03-10' }, '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [{ limit: 1, end: '2030-01-01' }, '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', false],
  ])('%j is the intervals that end there', (asked, from, to, closed) => {
    expect(windowAt(now, asked)).toEqual([from, to, closed]);
  });
});

describe('with a start', () => {
  const now = '2026-03-10T12:00:00Z';
  it.each<[Partial<WindowParameters>, string, string, boolean]>([
    [{ start: '2026-01-31', limit: 2 }, '2026-01-31T00:00:00Z', '2026-02-02T00:00:00Z', true],
    [{ start: '2026-01-31T15:00:00Z', limit: 1 }, '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', true],
    [{ start: '2026-03-08', limit: 30 }, '2026-03-08T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [{ start: '2026-03-10T12:00:00Z' }, '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [{ start: '2026-01-01', end: '2026-01-05' }, '2026-01-01T00:00:00Z', '2026-01-06T00:00:00Z', true],
    [
      { start: '2026-01-01', end: '2026-01-05', limit: 2 },
      '2026-01-01T00:00:00Z',
      '2026-01-03T00:00:00Z',
      true,
    ],
    [{ start: '2026-01-05', end: '2026-01-05' }, '2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z', true],
    [
      { start: '2026-01-05T10:00:00Z', end: '2026-01-05' },
      '2026-01-05T00:00:00Z',
      '2026-01-06T00:00:00Z',
      true,
    ],
    [{ start: '2026-03-09', end: '2030-01-01' }, '2026-03-09T00:00:00Z', '2026-03-11T00:00:00Z', false],
    [{ start: '2026-02-01', interval: '7d', limit: 3 }, '2026-02-01T00:00:00Z', '2026-02-22T00:00:00Z', true],
    [
      { start: '2026-02-25', interval: '7d', limit: 3 },
      '2026-02-25T00:00:00Z',
      '2026-03-11T00:00:00Z',
      false,
    ],
    [{ start: '2010-01-01', limit: 366 }, '2010-01-01T00:00:00Z', '2011-01-02T00:00:00Z', true],
  ])('%j begins there', (asked, from, to, closed) => {
    expect(windowAt(now, asked)).toEqual([from, to, closed]);
  });

  it.each(['1h', '24h'] as const)('that is the end has the %s candle that opens there', (interval) => {
    const moment = '2026-01-05T00:00:00Z';

    const { from, to, stepMs } = windowOf(
      { interval, limit: 5, start: moment, end: moment },
      Date.parse(now),
    );

    expect([from, to]).toEqual([Date.parse(moment), Date.parse(moment) + stepMs]);
  });
});

describe('a window that cannot be', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const aTime = 'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z';
  it.each<[Partial<WindowParameters>, string]>([
    [{ start: 'yesterday' }, `Invalid parameter start: "yesterday"; allowed: ${aTime}`],
    [{ end: '2026-02-30' }, `Invalid parameter end: "2026-02-30"; allowed: ${aTime}`],
    [
      { start: '2026-03-10T12:00:01Z' },
      'Invalid parameter start: "2026-03-10T12:00:01Z"; allowed: a time that is not in the future',
    ],
    [
      { start: '2026-03-11' },
      'Invalid parameter start: "2026-03-11"; allowed: a time that is not in the future',
    ],
    [
      { start: '2026-01-05T00:00:01Z', end: '2026-01-05T00:00:00Z' },
      'Invalid parameter start: "2026-01-05T00:00:01Z"; allowed: a time before end (2026-01-05T00:00:00Z)',
    ],
    [
      { start: '2026-01-06', end: '2026-01-05' },
      'Invalid parameter start: "2026-01-06"; allowed: a time before end (2026-01-05)',
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

describe('any window', () => {
  it('lies on its steps, is never empty, and asks for at most 366 base candles and `limit` candles', () => {
    const names = Object.keys(intervals) as Interval[]; // its keys are the intervals
    const moment = fc
      .date({ min: new Date('2010-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
    const text = fc.option(
      fc.oneof(
        moment,
        moment.map((time) => time.slice(0, 10)),
      ),
      { nil: undefined },
    );
    let usable = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.integer({ min: 1, max: 366 }),
        text,
        text,
        (interval, limit, start, end) => {
          const now = Date.parse('2026-03-10T12:00:00Z');
          let window: ReturnType<typeof windowOf>;
          try {
            window = windowOf({ interval, limit, start, end }, now);
          } catch (error) {
            expect(error).toMatchObject({ statusCode: 400 });
            return;
          }
          usable += 1;
          const { from, to, stepMs, size, closed } = window;
          const rows = (to - from) / stepMs;
          expect([from % stepMs, to % stepMs]).toEqual([0, 0]);
          expect(rows).toBeGreaterThanOrEqual(1);
          expect(rows).toBeLessThanOrEqual(366);
          expect(Math.ceil(rows / size)).toBeLessThanOrEqual(limit);
          expect(to - stepMs).toBeLessThanOrEqual(now);
          expect(closed).toBe(to <= now);
        },
      ),
      { numRuns: 500 },
    );
    expect(usable).toBeGreaterThan(100);
  });
});
