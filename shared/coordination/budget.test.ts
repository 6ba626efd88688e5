import { describe, expect, it } from 'vitest';
import { allowedByNow, DAY_MS, limitOfToday, nextAllowance, periodOf } from './budget.ts';

const budget = { monthly: 20_000, scheduledDaily: 0, clientPercent: 100 };
const nothing = { month: 0, today: 0 };
const at = (time: string) => periodOf(Date.parse(time));

describe('the share of a day', () => {
  it.each([
    ['2026-11-01T10:00:00Z', nothing, 666],
    ['2026-12-01T10:00:00Z', nothing, 645],
    ['2026-02-01T10:00:00Z', nothing, 666],
    ['2026-11-29T10:00:00Z', { month: 19_500, today: 100 }, 300],
    ['2026-11-30T23:00:00Z', { month: 19_990, today: 0 }, 10],
    ['2026-11-30T23:00:00Z', { month: 20_000, today: 0 }, 0],
  ])('at %s with %o spent is %i', (time, spent, limit) => {
    expect(limitOfToday(budget, spent, at(time))).toBe(limit);
  });

  it('does not change while it is spent', () => {
    const limits = [0, 100, 500, 666].map((today) =>
      limitOfToday(budget, { month: 4000 + today, today }, at('2026-11-06T10:00:00Z')),
    );
    expect(new Set(limits).size).toBe(1);
  });

  it.each([1, 10, 29, 30, 95, 1000, 20_000, 999_999])('of a month of %i never adds up to more', (monthly) => {
    for (const month of ['2026-02', '2026-11', '2026-12']) {
      let spent = 0;
      let time = Date.parse(`${month}-01T00:00:00Z`);
      for (; periodOf(time).month === month; time += DAY_MS) {
        spent += limitOfToday(
          { monthly, scheduledDaily: 0, clientPercent: 100 },
          { month: spent, today: 0 },
          periodOf(time),
        );
      }
      expect(spent).toBeLessThanOrEqual(monthly);
    }
  });

  it('is one whole even where a thirtieth of the month is less', () => {
    expect(
      limitOfToday(
        { monthly: 10, scheduledDaily: 0, clientPercent: 100 },
        nothing,
        at('2026-11-01T10:00:00Z'),
      ),
    ).toBe(1);
  });
});

describe('what may be spent by a moment', () => {
  it('is four fifths at once and the rest evenly over the day', () => {
    const hundred = { monthly: 3000, scheduledDaily: 0, clientPercent: 100 };
    const by = (time: string) => allowedByNow(hundred, nothing, at(time), 'answer');

    expect(by('2026-11-21T00:00:00Z')).toBe(80);
    expect(by('2026-11-21T12:00:00Z')).toBe(90);
    expect(by('2026-11-21T23:59:59Z')).toBe(100);
  });

  it('tells when the next one comes', () => {
    const hundred = { monthly: 3000, scheduledDaily: 0, clientPercent: 100 };
    const time = '2026-11-21T12:00:00Z';
    const spent = { month: 90, today: 90 };

    const next = nextAllowance(hundred, spent, at(time));
    expect(allowedByNow(hundred, spent, periodOf(next - 2), 'answer')).toBe(90);
    expect(allowedByNow(hundred, spent, periodOf(next), 'answer')).toBe(91);
  });

  it('keeps the scheduled part for the scheduled', () => {
    const shared = { monthly: 3000, scheduledDaily: 40, clientPercent: 100 };
    expect(allowedByNow(shared, nothing, at('2026-11-21T00:00:00Z'), 'answer')).toBe(48);
    expect(allowedByNow(shared, nothing, at('2026-11-21T00:00:00Z'), 'scheduled')).toBe(100);
  });
});
