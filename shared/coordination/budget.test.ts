import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../platform/time.ts';
import {
  allowedByNow,
  allows,
  type Budget,
  limitOfToday,
  nextAllowance,
  type Purpose,
  periodOf,
} from './budget.ts';

const budget = { monthly: 20_000, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 };
const nothing = { month: 0, today: 0, backfill: 0 };
const at = (time: string) => periodOf(Date.parse(time));

describe('the share of a day', () => {
  it.each([
    ['2026-11-01T10:00:00Z', nothing, 645],
    ['2026-12-01T10:00:00Z', nothing, 645],
    ['2026-02-01T10:00:00Z', nothing, 645],
    ['2026-11-29T10:00:00Z', { month: 19_500, today: 100, backfill: 0 }, 300],
    ['2026-11-30T23:00:00Z', { month: 19_990, today: 0, backfill: 0 }, 10],
    ['2026-11-30T23:00:00Z', { month: 20_000, today: 0, backfill: 0 }, 0],
  ])('at %s with %o spent is %i', (time, spent, limit) => {
    expect(limitOfToday(budget, spent, at(time))).toBe(limit);
  });

  it('does not change while it is spent', () => {
    const limits = [0, 100, 500, 645].map((today) =>
      limitOfToday(budget, { month: 4000 + today, today, backfill: 0 }, at('2026-11-06T10:00:00Z')),
    );
    expect(new Set(limits).size).toBe(1);
  });

  it.each([1, 10, 29, 30, 95, 1000, 20_000, 999_999])('of a month of %i never adds up to more', (monthly) => {
    for (const month of ['2026-02', '2026-11', '2026-12']) {
      let spent = 0;
      let time = Date.parse(`${month}-01T00:00:00Z`);
      for (; periodOf(time).month === month; time += DAY_MS) {
        spent += limitOfToday(
          { monthly, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 },
          { month: spent, today: 0, backfill: 0 },
          periodOf(time),
        );
      }
      expect(spent).toBeLessThanOrEqual(monthly);
    }
  });

  it('is one whole even where a thirty-first of the month is less', () => {
    expect(
      limitOfToday(
        { monthly: 10, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 },
        nothing,
        at('2026-11-01T10:00:00Z'),
      ),
    ).toBe(1);
  });
});

describe('what may be spent by a moment', () => {
  it('is four fifths at once and the rest evenly over the day', () => {
    const hundred = { monthly: 3100, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 };
    const by = (time: string) => allowedByNow(hundred, nothing, at(time), 'answer').total;

    expect(by('2026-11-21T00:00:00Z')).toBe(80);
    expect(by('2026-11-21T12:00:00Z')).toBe(90);
    expect(by('2026-11-21T23:59:59Z')).toBe(100);
  });

  it('tells when the next one comes', () => {
    const hundred = { monthly: 3100, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 };
    const time = '2026-11-21T12:00:00Z';
    const spent = { month: 90, today: 90, backfill: 0 };

    const next = nextAllowance(hundred, spent, at(time));
    expect(allowedByNow(hundred, spent, periodOf(next - 2), 'answer').total).toBe(90);
    expect(allowedByNow(hundred, spent, periodOf(next), 'answer').total).toBe(91);
  });

  it('keeps the scheduled part for the scheduled', () => {
    const shared = { monthly: 3100, scheduledDaily: 40, backfillDaily: 0, clientPercent: 100 };
    expect(allowedByNow(shared, nothing, at('2026-11-21T00:00:00Z'), 'answer').total).toBe(48);
    expect(allowedByNow(shared, nothing, at('2026-11-21T00:00:00Z'), 'scheduled').total).toBe(100);
  });
});

describe('what backfill may spend', () => {
  /** Of a day's 100: 20 for scheduled work, 40 for backfill, 40 for callers alone. */
  const shared: Budget = { monthly: 3100, scheduledDaily: 20, backfillDaily: 40, clientPercent: 100 };
  const noon = at('2026-11-21T12:00:00Z');
  const isAllowed = (today: number, backfill: number) => {
    const spent = { month: today, today, backfill };
    return allows(allowedByNow(shared, spent, noon, 'backfill'), spent);
  };

  it('is what nobody has needed so far', () => {
    // Half of what is kept for a purpose, and of four fifths of the rest.
    expect(isAllowed(45, 45)).toBe(true);
    expect(isAllowed(46, 46)).toBe(false);
  });

  it('is its own part, however much is spent on answers', () => {
    expect(isAllowed(80, 19)).toBe(true);
    expect(isAllowed(80, 20)).toBe(false);
  });

  it('is nothing of what scheduled work needs for the rest of the day', () => {
    expect(isAllowed(87, 0)).toBe(true);
    expect(isAllowed(88, 0)).toBe(false);
  });

  it('is never more than six tenths of what scheduled work leaves', () => {
    const greedy = { ...shared, backfillDaily: 1000 };
    const evening = at('2026-11-21T23:59:59Z');
    expect(allowedByNow(greedy, nothing, evening, 'backfill').either?.own).toBe(48);
    expect(allowedByNow(greedy, nothing, at('2026-11-21T00:00:00Z'), 'answer').total).toBe(26);
  });

  it('comes again when it is told to', () => {
    const anyDay = fc.record({ today: fc.nat(100), own: fc.nat(100), elapsed: fc.nat(DAY_MS - 1) });
    fc.assert(
      fc.property(anyDay, ({ today, own, elapsed }) => {
        const period = periodOf(noon.dayStart + elapsed);
        const spent = { month: today, today, backfill: Math.min(own, today) };
        const isAllowedAt = (time: number) =>
          allows(allowedByNow(shared, spent, periodOf(time), 'backfill'), spent);
        fc.pre(!isAllowedAt(noon.dayStart + elapsed));

        const next = nextAllowance(shared, spent, period, 'backfill');
        const isTomorrow = next === noon.dayStart + DAY_MS;
        expect(isTomorrow || isAllowedAt(next)).toBe(true);
        expect(isAllowedAt(next - 1000) && next - 1000 > noon.dayStart + elapsed).toBe(false);
      }),
    );
  });
});

describe('spare requests', () => {
  const shared: Budget = { monthly: 3100, scheduledDaily: 20, backfillDaily: 40, clientPercent: 100 };
  const noon = periodOf(Date.parse('2026-11-21T12:00:00Z'));
  const isAllowed = (today: number) => {
    const spent = { month: today, today, backfill: 0 };
    return allows(allowedByNow(shared, spent, noon, 'spare'), spent);
  };

  it('are what is left over of an even day, and a little ahead of it', () => {
    expect([isAllowed(49), isAllowed(50)]).toEqual([true, false]);
    const spent = { month: 60, today: 60, backfill: 0 };
    const next = nextAllowance(shared, spent, noon, 'spare');
    expect(allows(allowedByNow(shared, spent, periodOf(next), 'spare'), spent)).toBe(true);
    expect(allows(allowedByNow(shared, spent, periodOf(next - 60_000), 'spare'), spent)).toBe(false);
  });

  it('are none while callers without an answer take all that they may', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (elapsed) => {
        const period = { ...noon, elapsed };
        const { total } = allowedByNow(shared, nothing, period, 'answer');
        const spent = { month: total, today: total, backfill: 0 };
        expect(allows(allowedByNow(shared, spent, period, 'spare'), spent)).toBe(false);
      }),
    );
  });
});

describe('the four who share a day', () => {
  const amount = fc.nat(400);
  const anyBudget = fc
    .record({ daily: fc.integer({ min: 1, max: 300 }), scheduledDaily: amount, backfillDaily: amount })
    .map(({ daily, ...kept }): Budget => ({ ...kept, monthly: daily * 30, clientPercent: 100 }));
  const purposes = ['answer', 'scheduled', 'backfill', 'spare'] as const;
  const start = Date.parse('2026-11-21T00:00:00Z');

  /** Spends a day in the order of the attempts, evenly spread; returns what each got, and by when. */
  function spend(budget: Budget, attempts: readonly Purpose[]) {
    const spent = { month: 0, today: 0, backfill: 0 };
    const got = { answer: 0, scheduled: 0, backfill: 0, spare: 0 };
    for (const [index, purpose] of attempts.entries()) {
      const period = periodOf(start + Math.floor((index / attempts.length) * DAY_MS));
      if (!allows(allowedByNow(budget, spent, period, purpose), spent)) continue;
      got[purpose] += 1;
      spent.month += 1;
      spent.today += 1;
      if (purpose === 'backfill') spent.backfill += 1;
      expect(spent.today).toBeLessThanOrEqual(limitOfToday(budget, nothing, period));
    }
    return got;
  }

  it('never spend more than it has, in whatever order', () => {
    fc.assert(
      fc.property(
        anyBudget,
        fc.array(fc.constantFrom(...purposes), { maxLength: 1500 }),
        (budget, attempts) => {
          spend(budget, attempts);
        },
      ),
    );
  });

  it('each get what they are promised, though two of them ask all the time', () => {
    fc.assert(
      fc.property(anyBudget, (budget) => {
        const limit = limitOfToday(budget, nothing, periodOf(start));
        const scheduled = Math.min(budget.scheduledDaily, limit);
        const backfill = Math.min(budget.backfillDaily, Math.floor(0.6 * (limit - scheduled)));
        const free = limit - scheduled - backfill;
        // Scheduled work asks evenly; answers and backfill at every moment.
        const moments = 1440;
        const attempts = Array.from({ length: moments }, (_, index): Purpose[] => {
          const due = (of: number) => Math.floor((of * scheduled) / moments);
          const runs = due(index + 1) - due(index);
          return [...Array<Purpose>(runs).fill('scheduled'), 'answer', 'backfill', 'answer'];
        });
        const got = spend(budget, attempts.flat());

        expect(got.scheduled).toBeGreaterThanOrEqual(scheduled - 1);
        // The last minutes' part may be gone by then.
        expect(got.backfill).toBeGreaterThanOrEqual(Math.floor(backfill * 0.95) - 3);
        expect(got.answer).toBeGreaterThanOrEqual(Math.floor(free * 0.95) - 3);
      }),
    );
  });

  it('leave a fifth of what is kept for nobody to callers, when backfill has had all it can get', () => {
    const budget = { monthly: 3100, scheduledDaily: 20, backfillDaily: 40, clientPercent: 100 };
    const all = Array<Purpose>(20_000).fill('backfill');
    expect(spend(budget, all)).toMatchObject({ answer: 0, scheduled: 0, backfill: 92 });
  });
});
