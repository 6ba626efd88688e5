import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { coinOf } from '../batch/world.ts';
import { call } from '../pipeline/event.ts';
import { documentOf, figures, others, rowsOf } from './document.ts';
import { BUCKET, blended, FRIDAY, pastPath, pastPaths, RATES, useRatesWorld } from './world.ts';

const DAY = '2026-11-20';
const count = Object.keys(blended).length;
const sorted = Object.fromEntries(Object.entries(blended).sort(([a], [b]) => (a < b ? -1 : 1)));
const sources = Object.fromEntries(Object.keys(others).map((code) => [code, 'frankfurter']));
const dollarAt = (rate: string) => ({ ...figures, USD: rate });
const world = useRatesWorld();

describe('the rates job, against real servers in place of S3 and the source', () => {
  it('publishes the rates of the day, and those of past days once', async () => {
    const { provide, runAt, s3, source, blend } = world();
    for (const path of pastPaths) s3.objects.delete(path);
    provide(documentOf(DAY));

    expect(await runAt(FRIDAY)).toEqual({ day: DAY, currencies: count, isNew: true });
    expect(s3.objects.get(RATES)?.toString()).toBe(
      JSON.stringify({ day: DAY, source: 'ecb', rates: sorted, sources }),
    );
    expect(source.requests).toEqual(['/stats/eurofxref-daily.xml', '/stats/eurofxref-hist.xml']);
    const [latest, ...groups] = blend.requests;
    expect(latest).toBe('/v2/rates?base=EUR');
    expect(groups).toHaveLength(pastPaths.length);
    expect(groups[0]).toBe('/v2/rates?base=EUR&from=2010-01-01&quotes=USD,AUD');
  });

  it('changes nothing if they are published again, in another order too', async () => {
    const { provide, runAt, s3, source, blend, metrics } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    s3.requests.length = 0;
    provide(documentOf(DAY, Object.fromEntries(Object.entries(figures).reverse())));

    expect(await runAt(FRIDAY + 5 * HOUR_MS)).toEqual({ day: DAY, currencies: count, isNew: false });
    expect(await metrics()).toMatchObject({ RatesPublished: 1 });
    const read = [RATES, ...pastPaths, pastPath('recent')].map((path) => `GET ${path}`);
    expect(s3.requests).toEqual(read);
    expect([source.requests.length, blend.requests.length]).toEqual([2, 2]);
  });

  it('counts them as published over Easter, and not after a longer pause of their source', async () => {
    const { provide, runAt, metrics, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    await runAt(FRIDAY + 5 * DAY_MS - HOUR_MS);
    expect(await metrics()).toMatchObject({ RatesPublished: 1 });
    await expect(runAt(FRIDAY + 6 * DAY_MS - HOUR_MS)).rejects.toThrow(
      'rates of 2026-11-20, which are too old',
    );
    expect(await metrics()).toMatchObject({ RatesPublished: 0 });
    // The other source gives them from then on.
    expect(published()).toMatchObject({ day: '2026-11-26', source: 'frankfurter', rates: { USD: '1.152' } });
  });

  it('publishes those of Monday after a weekend, and corrected ones of the same day', async () => {
    const { provide, runAt, published } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    provide(documentOf('2026-11-23', dollarAt('1.2')));
    await runAt(FRIDAY + 3 * DAY_MS);
    provide(documentOf('2026-11-23', dollarAt('1.3')));

    expect(await runAt(FRIDAY + 3 * DAY_MS + HOUR_MS)).toMatchObject({ day: '2026-11-23', isNew: true });
    expect(published()?.rates.USD).toBe('1.3');
  });
});

describe('the rates of past days', () => {
  const dollarAtTime = async (day: string) => {
    vi.resetModules();
    const { groupOf, pastRates } = await import('../../shared/marketdata/past-rates.ts');
    return async (code: string) => {
      const past = await pastRates({ ...process.env, SNAPSHOT_BUCKET: BUCKET } as never, groupOf(code));
      const rate = past?.at(code, Date.parse(day));
      return rate && Number(rate.per) / Number(rate.usd);
    };
  };

  it('are those of the last day before a time, and none before the first day', async () => {
    const { provide, runAt } = world();
    provide(documentOf(DAY, dollarAt('2')));
    await runAt(FRIDAY);

    const friday = await dollarAtTime('2026-11-22T00:00Z');
    expect([await friday('EUR'), await friday('GBP'), await friday('XXX')]).toEqual([
      ...[0.5, Number(figures.GBP) / 2, undefined],
    ]);
    // Friday's rates are made in the afternoon.
    expect(await (await dollarAtTime('2026-11-20T12:00Z'))('EUR')).toBe(1 / Number(figures.USD));
    expect(await (await dollarAtTime('2020-01-01'))('EUR')).toBeUndefined();
    expect(await (await dollarAtTime('2026-12-20'))('EUR')).toBeUndefined();
  });

  it('grow by each day, without held-back rates, and are fetched again after a gap', async () => {
    const { provide, runAt, source } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
    provide(documentOf('2026-11-23', { ...figures, JPY: '9000', CHF: '0.97' }));
    await runAt(FRIDAY + 3 * DAY_MS);
    expect(source.requests.filter((path) => path.includes('hist'))).toEqual([]);
    const monday = await dollarAtTime('2026-11-24');
    // The former rate stands for its own day alone.
    expect(await monday('CHF')).toBe(0.97 / Number(figures.USD));
    expect(world().past('J')?.days.at(-1)).toEqual({
      ...{ day: '2026-11-23', source: 'ecb', rates: { USD: figures.USD } },
    });

    provide(documentOf('2026-12-04'));
    await runAt(FRIDAY + 14 * DAY_MS);
    expect(source.requests.filter((path) => path.includes('hist'))).toHaveLength(1);
  });

  it('are fetched by the next run if they are unavailable or damaged, and delay nothing else', async () => {
    const { provide, runAt, s3, source } = world();
    for (const path of pastPaths) s3.objects.delete(path);
    source.answer((request, response) => {
      const isPast = request.url?.endsWith('-hist.xml');
      response.writeHead(isPast ? 503 : 200, { 'content-type': 'text/xml' });
      response.end(isPast ? '' : documentOf(DAY));
    });
    expect(await runAt(FRIDAY)).toMatchObject({ day: DAY, past: expect.stringContaining('503') });
    expect(s3.objects.get(pastPath('A'))?.toString()).not.toContain('@ecb');
    provide(documentOf(DAY));
    expect(await runAt(FRIDAY + HOUR_MS)).toEqual({ day: DAY, currencies: count, isNew: false });
    const whole = s3.objects.get(pastPath('A'));
    expect(whole?.toString()).toContain('@ecb');
    s3.objects.set(pastPath('A'), Buffer.from('day,AUD@ecb\n2026-11-20,x'));
    await runAt(FRIDAY + 2 * HOUR_MS);
    expect(world().past('A')?.days).toHaveLength((whole?.toString().split('\n').length ?? 0) - 1);
  });

  it('leave out a rate that is many times that of the day before', async () => {
    const { runAt, s3, source } = world();
    for (const path of pastPaths) s3.objects.delete(path);
    const days = Array.from({ length: 300 }, (_, index) => new Date(FRIDAY - (index + 1) * DAY_MS));
    const cubes = days.map((day, index) => {
      const rates = index === 100 ? { ...figures, USD: '115.2' } : figures;
      return /<Cube time[\s\S]*?\n\t\t<\/Cube>/.exec(documentOf(day.toISOString().slice(0, 10), rates))?.[0];
    });
    const past = documentOf(DAY).replace(/<Cube time[\s\S]*?\n\t\t<\/Cube>/, cubes.join('\n'));
    source.answer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(request.url?.endsWith('-hist.xml') ? past : documentOf(DAY));
    });
    await runAt(FRIDAY);
    const dollarOn = (index: number) => {
      const day = days[index]?.toISOString().slice(0, 10);
      return world()
        .past('A')
        ?.days.filter((one) => one.day === day && one.rates.USD)
        .map(({ source: from, rates }) => [from, rates.USD]);
    };
    // The other source has that day.
    expect([99, 100, 101].map(dollarOn)).toEqual([
      [['ecb', '1.1520']],
      [['frankfurter', '1.152']],
      [['ecb', '1.1520']],
    ]);
  });
});

describe('an unconfirmed rate', () => {
  const [monday, tuesday, wednesday] = [3, 4, 5].map((days) => FRIDAY + days * DAY_MS);
  const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-11-23', '2026-11-24', '2026-11-25'];
  const without = (code: string) =>
    Object.fromEntries(Object.entries(figures).filter(([other]) => other !== code));
  /** The published rates as the route serves them. */
  async function served() {
    vi.resetModules();
    const { handler } = await import('../../functions/marketdata/rates/handler.ts');
    const { status, body } = await call(handler, { path: '/api/marketdata/rates' });
    return { status, ...(body as { data: { day: string; rates: object; days?: object } }).data };
  }
  beforeEach(async () => {
    const { provide, runAt } = world();
    provide(documentOf(DAY));
    await runAt(FRIDAY);
  });

  it.each([
    ['is 15 % higher', 'CHF', { ...figures, CHF: '1.10791' }],
    ['is a hundred times as high', 'USD', { ...figures, USD: '115.20' }],
    ['is missing', 'CHF', without('CHF')],
    ['has another’s code, which is no currency', 'BRL', { ...without('BRL'), BTC: '5.8915' }],
    ['has the code of a currency without rates so far', 'BRL', { ...without('BRL'), BGN: '5.8915' }],
  ])(
    'of a currency that %s keeps its former value with its own day, and all others are published',
    async (_how, code, provided) => {
      const { provide, runAt } = world();
      provide(documentOf(MONDAY, { ...provided, JPY: '170' }));

      expect(await runAt(monday ?? 0)).toMatchObject({ day: MONDAY, isNew: true, currencies: count });

      const rates = { ...figures, JPY: '170' };
      expect(await served()).toMatchObject({ status: 200, day: MONDAY, rates, days: { [code]: DAY }, count });
      expect(await runAt((monday ?? 0) + 5 * HOUR_MS)).toMatchObject({ isNew: false });
      // The file of the next day is as welcome as ever.
      provide(documentOf(TUESDAY));
      await runAt(tuesday ?? 0);
      const after = await served();
      expect([after.day, after.rates, after.days]).toEqual([TUESDAY, sorted, undefined]);
    },
  );

  it('is converted at the former rate, with that rate’s time', async () => {
    const { provide, runAt } = world();
    provide(documentOf(MONDAY, without('CHF')));
    await runAt(monday ?? 0);
    const registry = mkdtempSync(join(inject('runFolder'), 'rates-registry-'));
    await writeRegistry(registry, buildRegistry([coinOf('btc-bitcoin')], { source: 'simulated' }));
    vi.stubEnv('REGISTRY_PATH', registry);
    vi.resetModules();
    const { handler } = await import('../../functions/marketdata/convert/handler.ts');
    const timeOf = async (to: string) => {
      const query = `amount=1&from=eur&to=${to}`;
      return (await call(handler, { path: '/api/marketdata/convert', query })).headers['x-data-time'];
    };
    expect(await timeOf('chf')).toBe(`${DAY}T14:00:00.000Z`);
    expect(await timeOf('jpy')).toBe(`${MONDAY}T14:00:00.000Z`);
  });

  it('is published when the file of a second day agrees', async () => {
    const { provide, provideBlend, runAt, published, metrics } = world();
    provide(documentOf(MONDAY, dollarAt('1.3825')));
    for (const hours of [0, 6, 12])
      expect(await runAt((monday ?? 0) + hours * HOUR_MS)).toMatchObject({
        held: ['1.3825 for USD, where it was 1.1520 on 2026-11-20'],
      });
    expect(await metrics()).toMatchObject({ ImplausibleJump: 1 });
    expect(published()?.rates.USD).toBe('1.1520');

    provide(documentOf(TUESDAY, dollarAt('1.39')));
    provideBlend(rowsOf(TUESDAY, { ...blended, USD: '1.39' }));
    expect(await runAt(tuesday ?? 0)).toEqual({ day: TUESDAY, currencies: count, isNew: true });
    expect(published()).toMatchObject({ day: TUESDAY, rates: { USD: '1.39' } });
  });

  it('waits for a third day if the second one differs', async () => {
    const { provide, runAt, published } = world();
    for (const [day, time, rate] of [
      [MONDAY, monday, '3'],
      [TUESDAY, tuesday, '4'],
      [WEDNESDAY, wednesday, '4.1'],
    ] as const) {
      expect(published()?.rates.USD).toBe('1.1520');
      provide(documentOf(day ?? '', dollarAt(rate)));
      await runAt(time ?? 0);
    }
    expect(published()).toMatchObject({ day: WEDNESDAY, rates: { USD: '4.1' } });
  });

  it('is published at once if the published ones are older than six days', async () => {
    const { provide, runAt } = world();
    provide(documentOf('2026-12-01', dollarAt('9')));
    expect(await runAt(Date.UTC(2026, 11, 1, 18))).toMatchObject({ isNew: true });
  });

  it('of a day is refused before the day’s rates are made', async () => {
    const { provide, runAt, published } = world();
    provide(documentOf(MONDAY, { ...figures, USD: '1.2' }));
    await expect(runAt(Date.UTC(2026, 10, 23, 6))).rejects.toThrow('a day in the future: 2026-11-23');
    provide(documentOf(DAY));
    expect(await runAt(Date.UTC(2026, 10, 23, 12))).toMatchObject({ day: DAY, isNew: false });
    expect(published()?.rates).toEqual(sorted);
  });

  it('is dropped when its last value is six days old', async () => {
    const { provide, provideBlend, runAt, published } = world();
    const { CHF: _, ...blendedWithout } = blended;
    for (const [days, day] of [
      [3, MONDAY],
      [5, WEDNESDAY],
    ] as const) {
      provide(documentOf(day ?? '', without('CHF')));
      provideBlend(rowsOf(day ?? '', blendedWithout));
      await runAt(FRIDAY + days * DAY_MS);
      expect(published()?.rates.CHF).toBe(figures.CHF);
    }
    provide(documentOf('2026-11-26', without('CHF')));
    await runAt(FRIDAY + 6 * DAY_MS);
    expect(published()?.rates.CHF).toBeUndefined();
  });

  it('is published after two days if all rates have moved at once, and not before', async () => {
    const { provide, runAt, published } = world();
    const all = Object.fromEntries(
      Object.entries(figures).map(([code, rate]) => [code, String(Math.round(Number(rate) * 800_000) / 1e6)]),
    );
    provide(documentOf(MONDAY, all));
    await expect(runAt(monday ?? 0)).rejects.toThrow('Not published until a later day agrees: 29 rates');
    expect(published()).toMatchObject({ day: DAY, rates: figures });
    provide(documentOf(TUESDAY, all));
    await runAt(tuesday ?? 0);
    expect(published()).toMatchObject({ day: TUESDAY, rates: all });
  });

  it('is still held back if the stored note is damaged', async () => {
    const { provide, runAt, s3, published } = world();
    const before = new Set(s3.objects.keys());
    provide(documentOf(MONDAY, dollarAt('9')));
    await runAt(monday ?? 0);
    for (const [path, bytes] of s3.objects) if (!before.has(path)) s3.objects.set(path, bytes.subarray(0, 9));
    provide(documentOf(TUESDAY, dollarAt('9')));
    await runAt(tuesday ?? 0);
    expect(published()?.rates.USD).toBe('1.1520');
    provide(documentOf(WEDNESDAY, dollarAt('9')));
    await runAt(wednesday ?? 0);
    expect(published()?.rates.USD).toBe('9');
  });
});

describe('a clock that jumps', () => {
  it('keeps out no rates: those of a future day are not compared with', async () => {
    const { provide, runAt, published } = world();
    provide(documentOf('2026-12-31', dollarAt('9')));
    await runAt(Date.UTC(2026, 11, 31, 18));
    vi.resetModules(); // another container
    provide(documentOf(DAY));

    expect(await runAt(FRIDAY)).toEqual({ day: DAY, currencies: count, isNew: true });
    expect(published()?.rates.USD).toBe(figures.USD);
  });
});
