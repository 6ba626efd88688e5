import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant } from './instant.ts';
import { DAY_MS } from './time.ts';

describe('a time', () => {
  it.each([
    ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56Z'],
    ['2026-01-31t12:34:56z', '2026-01-31T12:34:56Z'],
    ['2026-01-31T12:34:56', '2026-01-31T12:34:56Z'],
    ['2026-01-31T12:34', '2026-01-31T12:34:00Z'],
    ['2026-01-31T12:34:56.789Z', '2026-01-31T12:34:56Z'],
    ['2026-01-31T12:34:56+02:00', '2026-01-31T10:34:56Z'],
    ['2026-01-31T12:34:56 02:00', '2026-01-31T10:34:56Z'],
    ['2026-01-31T23:30:00-0530', '2026-02-01T05:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29T23:59:59Z', '2000-02-29T23:59:59Z'],
  ])('%s is %s', (text, utc) => {
    expect(parseInstant(text)).toEqual({ first: Date.parse(utc), end: Date.parse(utc) });
  });

  it('is read like any instant that Date writes', () => {
    const years = { min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(parseInstant(date.toISOString())).toEqual({ first: seconds, end: seconds });
      }),
    );
  });
});

describe('a date', () => {
  it.each(['2026-01-31', '2026-12-31', '2024-02-29'])('%s is all of the day in UTC', (text) => {
    const first = Date.parse(text);

    expect(parseInstant(text)).toEqual({ first, end: first + DAY_MS });
  });
});

describe('nothing', () => {
  it.each([
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-32',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+02:60',
    '2026-01-31T',
    '2026-01-31T12',
    '2026-1-31',
    '01/31/2026',
    '20260131',
    '1767225600',
    '',
    ' 2026-01-31',
    '2026-01-31Z',
    '2026-W05',
    '+002026-01-31',
  ])('is read of %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
