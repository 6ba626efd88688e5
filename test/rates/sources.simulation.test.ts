import { describe, expect, it, vi } from 'vitest';
import { rateGroups } from '../../shared/marketdata/past-rates.ts';
import { ratesText } from '../../shared/marketdata/rates.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { respond, respondJson } from '../pipeline/loopback.ts';
import { cubes, documentOf, figures, others, rowsOf } from './document.ts';
import {
  blended,
  FRIDAY,
  pastDays,
  pastPath,
  pastPaths,
  pastRowsFor,
  RATES,
  useRatesWorld,
} from './world.ts';

const DAY = '2026-11-20';
const MONDAY = '2026-11-23';
const TUESDAY = '2026-11-24';
const monday = FRIDAY + 3 * DAY_MS;
const tuesday = FRIDAY + 4 * DAY_MS;
const world = useRatesWorld();
const times = (rates: Readonly<Record<string, string>>, factor: number) =>
  Object.fromEntries(Object.entries(rates).map(([code, rate]) => [code, String(Number(rate) * factor)]));
const without = (rates: Readonly<Record<string, string>>, ...codes: readonly string[]) =>
  Object.fromEntries(Object.entries(rates).filter(([code]) => !codes.includes(code)));
const down = respond(503, { 'content-type': 'application/json' }, '{"status":503,"message":"later"}');
/** As many currencies as the real source has more than the other. */
const many = Object.fromEntries(
  'AED ALL AMD ARS BDT BHD CLP COP DZD EGP GEL JOD KES KZT LBP LKR MAD MDL NGN PEN PKR QAR RSD SAR UYU VND'
    .split(' ')
    .map((code, index) => [code, String(10 + index)]),
);

describe('one euro in all currencies', () => {
  it('is the reference rate where there is one, and says of the others who gave them and when', async () => {
    const { provide, provideBlend, runAt, published, blend } = world();
    provide(documentOf(DAY));
    const near = { ...blended, USD: '1.1601', GBP: '0.9', XAU: '0.000288', XDR: '0.85', XTS: '1' };
    provideBlend(rowsOf(DAY, near, { KWD: '2026-11-18' }));

    expect(await runAt(FRIDAY)).toMatchObject({ day: DAY, currencies: 33 });
    expect(published()).toEqual({
      ...{ day: DAY, source: 'ecb', rates: { ...figures, ...others, TWD: '36.1', XAU: '0.000288' } },
      ...{ days: { KWD: '2026-11-18' } },
      ...{ sources: Object.fromEntries(['KWD', 'TWD', 'UAH', 'XAU'].map((code) => [code, 'frankfurter'])) },
    });
    expect(blend.requests[0]).toBe('/v2/rates?base=EUR');
  });

  it('has rates of a weekend, which are newer than the reference rates', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    provideBlend(rowsOf('2026-11-22', blended));
    await runAt(FRIDAY + 2 * DAY_MS);
    expect(published()).toMatchObject({ day: DAY, rates: { UAH: '48.6' }, days: { UAH: '2026-11-22' } });
    // Its days are no reason to refuse Friday's file.
    expect(await runAt(FRIDAY + 2 * DAY_MS + HOUR_MS)).toMatchObject({ day: DAY, isNew: false });
  });

  it('has no exponents, and none of the future or older than six days', async () => {
    const { provide, provideBlend, runAt, published, metrics } = world();
    provide(documentOf(DAY));
    const rates = { ...blended, XAU: '0.00000029', UZS: '13780', VND: '30300', AED: '4.231' };
    provideBlend(rowsOf(DAY, rates, { UZS: '2026-11-21', VND: '2026-11-14', AED: '2026-11-15' }));
    await runAt(FRIDAY);
    expect(await metrics()).toMatchObject({ ImplausibleTime: 1 });
    const { UZS, VND, AED, XAU } = published()?.rates ?? {};
    expect([UZS, VND, AED, XAU]).toEqual([undefined, undefined, '4.231', '0.00000029']);
  });
});

describe('a source that fails', () => {
  it('is named, and does not stop the reference rates', async () => {
    const { provide, blend, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    blend.answer(down);
    provide(documentOf(MONDAY, { ...figures, JPY: '172' }));
    const result = await runAt(monday);
    expect(result).toMatchObject({
      day: MONDAY,
      isNew: true,
      failed: ['frankfurter: Frankfurter answered 503'],
    });
    expect(published()).toMatchObject({
      day: MONDAY,
      rates: { JPY: '172', UAH: '48.6' },
      days: { UAH: DAY },
    });
  });

  it('of reference rates fails the run after the other rates are published', async () => {
    const { provide, provideBlend, source, runAt, published, past } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    source.answer(down);
    provideBlend(rowsOf(MONDAY, { ...blended, UAH: '48.9', USD: '1.16' }));
    await expect(runAt(monday)).rejects.toThrow('The European Central Bank answered 503');
    expect(published()).toMatchObject({
      ...{ day: DAY, source: 'ecb', rates: { UAH: '48.9', USD: '1.1520' }, days: { UAH: MONDAY } },
    });
    expect(past('U')?.days.at(-1)).toEqual({ day: MONDAY, source: 'frankfurter', rates: { UAH: '48.9' } });
  });

  it('of reference rates for six days is replaced, until it is back', async () => {
    const { provide, provideBlend, source, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    source.answer(down);
    for (const [days, from] of [
      [3, 'ecb'],
      [4, 'ecb'],
      [5, 'ecb'],
      [6, 'frankfurter'],
      [7, 'frankfurter'],
    ] as const) {
      const now = FRIDAY + days * DAY_MS;
      const day = new Date(now).toISOString().slice(0, 10);
      provideBlend(rowsOf(day, { ...blended, USD: '1.16' }));
      await expect(runAt(now), day).rejects.toThrow('answered 503');
      expect(published(), day).toMatchObject({ source: from, day: from === 'ecb' ? DAY : day });
    }
    expect(published()?.rates).toMatchObject({ USD: '1.16', CHF: '0.9634' });
    provide(documentOf('2026-11-30'));
    provideBlend(rowsOf('2026-11-30', blended));
    await runAt(FRIDAY + 10 * DAY_MS);
    expect(published()).toMatchObject({ source: 'ecb', day: '2026-11-30', rates: { USD: '1.1520' } });
  });

  it('together with the other one changes nothing', async () => {
    const { provide, source, blend, runAt, s3 } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    const before = new Map(s3.objects);
    source.answer(down);
    blend.answer(down);
    await expect(runAt(monday)).rejects.toThrow(/European Central Bank answered 503; frankfurter: Frankf/);
    expect(new Map(s3.objects)).toEqual(before);
  });

  it('gives a file of an earlier day, and the other’s rates are published', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(MONDAY));
    await runAt(monday);
    provideBlend(rowsOf(DAY, { ...blended, UAH: '48.9' }));
    provide(documentOf(TUESDAY));
    expect(await runAt(tuesday)).toMatchObject({
      failed: [`frankfurter: Not published: rates of ${DAY} are older than the published ones of ${MONDAY}`],
    });
    expect(published()).toMatchObject({ day: TUESDAY, rates: { UAH: '48.6' }, days: { UAH: MONDAY } });
  });
});

describe('a currency', () => {
  it('that loses its source keeps its former rate with its day for six days, and then goes', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    for (const days of [3, 4, 5, 6]) {
      const now = FRIDAY + days * DAY_MS;
      const day = new Date(now).toISOString().slice(0, 10);
      provide(documentOf(day));
      provideBlend(rowsOf(day, without(blended, 'UAH')));
      await runAt(now);
      const { rates, days: own, sources } = published() ?? {};
      const expected = days < 6 ? ['48.6', DAY, 'frankfurter'] : [undefined, undefined, undefined];
      expect([rates?.UAH, own?.UAH, sources?.UAH], day).toEqual(expected);
    }
  });

  it('that loses its reference rate keeps it for six days, and then has the other one', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    for (const days of [3, 5, 6]) {
      const now = FRIDAY + days * DAY_MS;
      const day = new Date(now).toISOString().slice(0, 10);
      provide(documentOf(day, without(figures, 'CHF')));
      provideBlend(rowsOf(day, { ...blended, CHF: '0.98' }));
      await runAt(now);
      expect(published()?.rates.CHF).toBe(days < 6 ? figures.CHF : '0.98');
    }
    expect(published()).toMatchObject({ sources: { CHF: 'frankfurter' } });
  });

  it('whose rate jumps is held back until a later day agrees', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    provideBlend(rowsOf(DAY, { ...blended, ...many }));
    await runAt(FRIDAY);
    provide(documentOf(MONDAY));
    provideBlend(rowsOf(MONDAY, { ...blended, ...many, UAH: '486' }));
    expect(await runAt(monday)).toMatchObject({ held: [`486 for UAH, where it was 48.6 on ${DAY}`] });
    expect(published()).toMatchObject({ rates: { UAH: '48.6', TWD: '36.1' }, days: { UAH: DAY } });
    provide(documentOf(TUESDAY));
    provideBlend(rowsOf(TUESDAY, { ...blended, ...many, UAH: '486' }));
    await runAt(tuesday);
    expect(published()?.rates.UAH).toBe('486');
  });
});

describe('the first answer of a new source', () => {
  it('is published whole, although all its currencies are new', async () => {
    const { provide, provideBlend, runAt, s3, published } = world();
    s3.objects.set(RATES, Buffer.from(ratesText({ day: '2026-11-19', source: 'ecb', rates: figures })));
    provide(documentOf(DAY));
    provideBlend(rowsOf(DAY, { ...blended, ...many }));
    const result = await runAt(FRIDAY);
    expect(result).toMatchObject({ currencies: Object.keys({ ...blended, ...many }).length });
    expect(result).not.toHaveProperty('held');
    expect(published()?.rates).toMatchObject(many);
  });

  it('is followed by new currencies only when a later day agrees', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    provideBlend(rowsOf(DAY, { ...blended, ...many }));
    await runAt(FRIDAY);
    for (const [day, now, rate] of [
      [MONDAY, monday, undefined],
      [TUESDAY, tuesday, '30.4'],
    ] as const) {
      provide(documentOf(day));
      provideBlend(rowsOf(day, { ...blended, ...many, ZWG: '30.4' }));
      await runAt(now);
      expect(published()?.rates.ZWG).toBe(rate);
    }
  });
});

describe('an answer of the other source', () => {
  const dollar = Number(figures.USD);
  it.each([
    ['of another unit', rowsOf(DAY, times(blended, 100)), /Not published: the rates are 9900.0 % off/],
    ['of another base', rowsOf(DAY, times(blended, 1 / dollar)), /Not published: the rates are 13.2 % off/],
    ['whose dollar is off', rowsOf(DAY, { ...blended, USD: '1.25' }), /0.0 % off in .* 8.5 % in the dollar/],
    [
      'that says it is of another base',
      rowsOf(DAY, blended).map((row) => ({ ...row, base: 'USD' })),
      /rates of one "USD" in place of one euro/,
    ],
    ['with a currency twice', [...rowsOf(DAY, blended), ...rowsOf(DAY, { UAH: '4' })], /"(EUR|UAH)" twice/],
    ['without a dollar', rowsOf(DAY, without(blended, 'USD')), /no rate for USD/],
    ['of zeros', rowsOf(DAY, times(blended, 0)), /a rate of "0" for/],
    ['below zero', rowsOf(DAY, times(blended, -1)), /a rate of "-/],
    ['of a few', rowsOf(DAY, { USD: '1.152', ...others }), /no more than 4 currencies/],
    ['of nothing', [], /no rates/],
    ['of last week', rowsOf('2026-11-13', blended), /no rates/],
    ['of next week', rowsOf('2026-11-27', blended), /no rates/],
    ['without a list', { rates: {} }, /the answer is not a list/],
  ])('%s is refused whole, and the reference rates are published', async (_what, rows, message) => {
    const { provide, provideBlend, runAt, published } = world();
    s3WithYesterday();
    provide(documentOf(DAY));
    provideBlend(rows);
    const { failed } = await runAt(FRIDAY);
    expect(failed).toEqual([expect.stringMatching(message)]);
    expect(failed?.[0]).toMatch(/^frankfurter: (Frankfurter gave an un|Frankfurter gave an impl|Not pub)/);
    expect(published()).toMatchObject({ day: DAY, rates: figures });
  });

  it('is compared with the published rates if the reference rates cannot be had', async () => {
    const { source, provideBlend, runAt, published } = world();
    s3WithYesterday();
    source.answer(down);
    provideBlend(rowsOf(DAY, times(blended, 1.2)));
    await expect(runAt(FRIDAY)).rejects.toThrow('Not published: the rates are 20.0 % off');
    expect(published()?.day).toBe('2026-11-19');
  });

  it('is not refused for one common currency that is off, whose reference rate counts', async () => {
    const { provide, provideBlend, runAt, published } = world();
    provide(documentOf(DAY));
    provideBlend(rowsOf(DAY, { ...blended, TRY: '3.5' }));
    expect(await runAt(FRIDAY)).not.toHaveProperty('failed');
    expect(published()?.rates.TRY).toBe(figures.TRY);
  });

  function s3WithYesterday() {
    const content = ratesText({ day: '2026-11-19', source: 'ecb', rates: figures });
    world().s3.objects.set(RATES, Buffer.from(content));
  }
});

describe('the past of a group of currencies', () => {
  const forget = () => {
    for (const path of pastPaths) world().s3.objects.delete(path);
  };
  const groupsAsked = () =>
    world().blend.requests.flatMap((url) =>
      url.includes('from=') ? (/USD,(\w)/.exec(url)?.[1] ?? 'U') : [],
    );

  it('is one object with the dollar, of which each column names its source', async () => {
    const { provide, runAt, past, s3 } = world();
    forget();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    expect([...s3.objects.keys()].filter((path) => path.includes('past-rates/')).sort()).toEqual(
      [...pastPaths, pastPath('recent')].sort(),
    );
    expect(past('K')?.columns).toEqual([
      ...['KRW@ecb', 'KRW@frankfurter', 'KWD@frankfurter', 'USD@ecb', 'USD@frankfurter'],
    ]);
    expect(past('K')?.days.filter(({ day }) => day === DAY)).toEqual([
      { day: DAY, source: 'ecb', rates: { KRW: figures.KRW, USD: figures.USD } },
      { day: DAY, source: 'frankfurter', rates: { KWD: '0.3537' } },
    ]);
    expect(past('K')?.days).toHaveLength(2 * (pastDays.length + 1));
  });

  it('fills days without a reference rate, has no weekends, and begins in 2010', async () => {
    const { provide, runAt, past, blend } = world();
    forget();
    const [holiday = ''] = pastDays;
    provideWithout(holiday);
    blend.answer((request, response) => {
      const rows = pastRowsFor(request.url);
      const more = ['2009-12-31', '2010-01-04', '2026-11-14', holiday].flatMap((day) =>
        rowsOf(day, blended).filter(({ quote }) => request.url?.includes(quote)),
      );
      const withHoliday = rows?.filter(({ date }) => date !== holiday).concat(more);
      respondJson(withHoliday ?? rowsOf(DAY, blended))(request, response);
    });
    await runAt(FRIDAY);
    const days = past('A')?.days ?? [];
    expect(days[0]).toEqual({
      day: '2010-01-04',
      source: 'frankfurter',
      rates: { USD: '1.152', AUD: '1.6079' },
    });
    expect(days.map(({ day }) => day)).not.toContain('2026-11-14');
    expect(days.filter(({ day }) => day === holiday)).toEqual([
      { day: holiday, source: 'frankfurter', rates: { USD: '1.152', AUD: '1.6079' } },
    ]);
    // Of other days the other source says nothing that is not known.
    expect(days.filter(({ source }) => source === 'frankfurter')).toHaveLength(2);
    provide(documentOf(DAY));
  });

  it('is fetched once, one request a group, and a refused group does not stop the others', async () => {
    const { provide, runAt, blend, past } = world();
    forget();
    provide(documentOf(DAY));
    blend.answer((request, response) => {
      const url = request.url ?? '';
      const rows = pastRowsFor(url);
      const isRefused = url.includes('KRW') && rows;
      respondJson(
        isRefused ? { status: 422, message: 'invalid currency: KRW' } : (rows ?? rowsOf(DAY, blended)),
        isRefused ? 422 : 200,
      )(request, response);
    });
    expect(await runAt(FRIDAY)).toMatchObject({ past: 'Frankfurter answered 422' });
    expect(groupsAsked().sort()).toEqual(askedGroups.toSorted());
    expect(past('K')?.columns).toEqual(['KRW@ecb', 'USD@ecb']);
    blend.requests.length = 0;
    world().provideBlend(rowsOf(DAY, blended));
    expect(await runAt(FRIDAY + HOUR_MS)).not.toHaveProperty('past');
    expect(groupsAsked()).toEqual(['K']);
    expect(past('K')?.columns).toContain('KWD@frankfurter');
    blend.requests.length = 0;
    await runAt(FRIDAY + 2 * HOUR_MS);
    expect(groupsAsked()).toEqual([]);
  });

  it('is stored group by group, and the next run goes on where the time was over', async () => {
    const { provide, runAt, blend, past } = world();
    forget();
    provide(documentOf(DAY));
    let left = 3;
    blend.answer((request, response) => {
      const rows = pastRowsFor(request.url);
      // The clock passes the run's time.
      if (rows && left-- === 0) vi.setSystemTime(Date.now() + 250_000);
      respondJson(rows ?? rowsOf(DAY, blended))(request, response);
    });
    const all = askedGroups.length;
    expect(await runAt(FRIDAY)).toMatchObject({
      past: `${all - 4} groups of past rates are left for the next run`,
    });
    expect(groupsAsked()).toHaveLength(4);
    expect(past('A')?.columns).toContain('AUD@frankfurter');
    expect(past('Z')?.columns).not.toContain('ZAR@frankfurter');
    expect(past('Z')?.columns).toContain('ZAR@ecb');
    await runAt(FRIDAY + HOUR_MS);
    expect(groupsAsked()).toHaveLength(all);
    expect(past('Z')?.columns).toContain('ZAR@frankfurter');
  });

  it('is not asked for while the latest rates are refused', async () => {
    const { provide, provideBlend, runAt, blend, past } = world();
    forget();
    provide(documentOf(DAY));
    provideBlend(rowsOf(DAY, times(blended, 100)));
    expect(await runAt(FRIDAY)).toHaveProperty('failed');
    expect(blend.requests).toEqual(['/v2/rates?base=EUR']);
    expect(past('K')?.columns).toEqual(['KRW@ecb', 'USD@ecb']);
  });

  it('is fetched again after a gap, from the last stored day on', async () => {
    const { provide, provideBlend, runAt, blend } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    blend.requests.length = 0;
    provide(documentOf('2026-12-04'));
    provideBlend(rowsOf('2026-12-04', blended));
    await runAt(FRIDAY + 14 * DAY_MS);
    const asked = blend.requests.filter((url) => url.includes('from='));
    // The groups of others: reference rates have no gap of the other source's.
    expect(asked).toEqual([
      `/v2/rates?base=EUR&from=${DAY}&quotes=USD,KRW,KWD`,
      `/v2/rates?base=EUR&from=${DAY}&quotes=USD,THB,TRY,TWD`,
      `/v2/rates?base=EUR&from=${DAY}&quotes=USD,UAH`,
    ]);
  });

  it('is not stored if its dollar is another one’s, and is asked for again', async () => {
    const { provide, runAt, blend, past } = world();
    forget();
    provide(documentOf(DAY));
    blend.answer((request, response) => {
      const rows = pastRowsFor(request.url)?.map((row) => ({ ...row, rate: row.rate * 100 }));
      respondJson(rows ?? rowsOf(DAY, blended))(request, response);
    });
    const { past: problem } = await runAt(FRIDAY);
    expect(problem).toContain('The past rates of K are 9900.0 % off in the median');
    expect(past('K')?.columns).toEqual(['KRW@ecb', 'USD@ecb']);
  });

  it('leaves out a spike, keeps a devaluation, and takes a currency that is a month old', async () => {
    const { provide, runAt, blend, past } = world();
    forget();
    provide(documentOf(DAY));
    const young = pastDays.slice(0, 20);
    const [spike = '', devalued = ''] = [pastDays[50], pastDays[100]];
    blend.answer((request, response) => {
      const rows = pastRowsFor(request.url)?.flatMap((row) => {
        if (row.quote === 'KWD' && !young.includes(row.date)) return [];
        if (row.quote !== 'UAH') return row;
        const rate = row.date === spike ? 4860 : row.date < devalued ? 4.8 : 48;
        return { ...row, rate };
      });
      respondJson(rows ?? rowsOf(DAY, blended))(request, response);
    });
    await runAt(FRIDAY);
    const ofUah = new Map(past('U')?.days.flatMap(({ day, rates }) => (rates.UAH ? [[day, rates.UAH]] : [])));
    expect(ofUah.has(spike)).toBe(false);
    expect(ofUah.size).toBe(pastDays.length);
    expect([ofUah.get(pastDays[101] ?? ''), ofUah.get(devalued), ofUah.get(DAY)]).toEqual([
      '4.8',
      '48',
      '48.6',
    ]);
    expect(past('K')?.days.filter(({ rates }) => rates.KWD)).toHaveLength(21);
  });

  /** Of which the other source has a currency, or the dollar alone. */
  const askedGroups = [...rateGroups.keys()].map((group) => {
    const first = rateGroups.get(group)?.find((code) => code in blended && code !== 'USD');
    return first?.slice(0, 1) ?? 'U';
  });

  function provideWithout(holiday: string) {
    const past = documentOf(pastDays.filter((day) => day !== holiday));
    world().source.answer((request, response) => {
      const body = request.url?.endsWith('-hist.xml') ? past : documentOf(DAY);
      respond(200, { 'content-type': 'text/xml' }, body)(request, response);
    });
  }
});

describe('the object of recent days', () => {
  it('has all currencies of five weeks and of the week a year before, and moves on', async () => {
    const { provide, provideBlend, runAt, past } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    const daysOf = () => [...new Set(past('recent')?.days.map(({ day }) => day))];
    expect(daysOf().filter((day) => day < '2026')).toEqual([
      ...['2025-11-20', '2025-11-21', '2025-11-24', '2025-11-25', '2025-11-26', '2025-11-27', '2025-11-28'],
    ]);
    expect([daysOf().find((day) => day > '2026'), daysOf().at(-1)]).toEqual(['2026-10-16', DAY]);
    const last = past('recent')?.days.filter(({ day }) => day === DAY);
    expect(last?.map(({ source, rates }) => [source, Object.keys(rates).length])).toEqual([
      ['ecb', Object.keys(figures).length],
      ['frankfurter', Object.keys(others).length],
    ]);
    provide(documentOf(MONDAY));
    provideBlend(rowsOf(MONDAY, blended));
    await runAt(monday);
    expect([daysOf().includes('2025-12-01'), daysOf().includes('2026-10-16'), daysOf().at(-1)]).toEqual([
      ...[true, false, MONDAY],
    ]);
  });
});

it('the stored reference rates of a day are those of its last file', async () => {
  const { provide, runAt, past } = world();
  provide(documentOf(DAY));
  await runAt(FRIDAY);
  provide(documentOf(DAY, cubes({ ...figures, AUD: '1.61' })));
  await runAt(FRIDAY + HOUR_MS);
  expect(past('A')?.days.at(-1)?.rates.AUD).toBe('1.61');
});
