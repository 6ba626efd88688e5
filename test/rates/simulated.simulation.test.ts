import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { lieNames } from '../../local/simulated/lies.ts';
import { pastRatesName, rateGroups, readPastRates } from '../../shared/marketdata/past-rates.ts';
import { readRates } from '../../shared/marketdata/rates.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';

/** A Thursday evening. */
const THURSDAY = Date.UTC(2026, 10, 19, 18);
let s3: S3Server;
let simulated: Simulated;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: THURSDAY });
  s3 = await startStubbedS3();
  simulated = await startSimulated();
  vi.stubEnv('SNAPSHOT_BUCKET', 'bucket');
  vi.stubEnv('NODE_ENV', 'test');
  for (const [name, value] of Object.entries(simulated.environment)) vi.stubEnv(name, value);
  vi.resetModules();
  withoutPace();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await simulated.close();
  await s3.close();
});

async function runAt(now: number) {
  vi.setSystemTime(now);
  const { handler } = await import('../../functions/marketdata/jobs/daily-rates/handler.ts');
  return handler();
}
const textOf = (name: string) => s3.objects.get(`/bucket/snapshot/${name}`)?.toString() ?? '';
const published = () => readRates(textOf('rates.v1'));
const past = (group: string) => readPastRates(textOf(pastRatesName(group)));

describe('the job in the simulated world', () => {
  it('publishes all currencies with five years of each, and asks for the past once', async () => {
    expect(await runAt(THURSDAY)).toEqual({ day: '2026-11-19', currencies: expect.any(Number), isNew: true });
    expect(Object.keys(published().rates).length).toBeGreaterThan(150);
    for (const [group, members] of rateGroups) {
      const { columns, days } = past(group);
      const codes = new Set(days.flatMap(({ rates }) => Object.keys(rates)));
      const expected = ['USD', ...members].filter((code) => published().rates[code]);
      expect([...codes].sort()).toEqual([...new Set(expected)].sort());
      expect(columns).toHaveLength(codes.size);
      expect(days[0]?.day.slice(0, 7)).toBe('2021-11');
    }
    simulated.frankfurter.calls.reset();
    simulated.ecb.calls.reset();
    expect(await runAt(THURSDAY + DAY_MS)).toMatchObject({ day: '2026-11-20', isNew: true });
    expect(await runAt(THURSDAY + DAY_MS + HOUR_MS)).toMatchObject({ isNew: false });
    expect(simulated.frankfurter.calls.byPath).toEqual({ '/rates?base=EUR': 2 });
    expect(simulated.ecb.calls.byPath).toEqual({ '/eurofxref-daily.xml': 2 });
    expect(past('U').days.at(-1)).toMatchObject({ day: '2026-11-20', rates: { UAH: published().rates.UAH } });
  });

  it('goes on with the other source while one is down, on its first day too', async () => {
    simulated.ecb.setFault('status=503');
    await expect(runAt(THURSDAY)).rejects.toThrow('503');
    expect(Object.keys(published().rates).length).toBeGreaterThan(150);
    simulated.ecb.setFault(null);
    expect(await runAt(THURSDAY + HOUR_MS)).not.toHaveProperty('held');
    simulated.frankfurter.setFault('hang@from=');
    expect(await runAt(THURSDAY + DAY_MS)).toMatchObject({ day: '2026-11-20' });
  });

  it('keeps the rate of a currency that loses its source for six days', async () => {
    await runAt(THURSDAY);
    const before = published().rates.ZWG;
    expect(before).toBeDefined();
    simulated.frankfurter.setFault('lie=withdrawn');
    for (const days of [1, 5]) {
      await runAt(THURSDAY + days * DAY_MS);
      expect([published().rates.ZWG, published().days?.ZWG]).toEqual([before, '2026-11-19']);
    }
    await runAt(THURSDAY + 6 * DAY_MS);
    expect(published().rates).not.toHaveProperty('ZWG');
  });
});

describe('a lie of the other source', () => {
  /** The true rates of that day. */
  async function truth(now: number): Promise<Readonly<Record<string, number>>> {
    vi.setSystemTime(now);
    const rows = (await (await fetch(`${simulated.frankfurter.url}/rates`)).json()) as {
      readonly quote: string;
      readonly rate: number;
    }[];
    return Object.fromEntries(rows.map(({ quote, rate }) => [quote, rate]));
  }
  const worstOf = (rates: Readonly<Record<string, string>>, known: Readonly<Record<string, number>>) =>
    Math.max(...Object.entries(rates).map(([code, rate]) => Math.abs(Number(rate) / (known[code] ?? 0) - 1)));

  /** What is stored after an honest day; the same for all lies. */
  let honest: Map<string, Buffer> | undefined;

  it.each(lieNames('rates'))('%s is never published, neither for the day nor for the past', async (lie) => {
    if (!honest) {
      await runAt(THURSDAY);
      honest = new Map(s3.objects);
    }
    for (const [path, bytes] of honest) s3.objects.set(path, bytes);
    const known = await truth(THURSDAY);
    s3.objects.delete('/bucket/snapshot/past-rates/U.v2');
    simulated.frankfurter.setFault(`lie=${lie}`);
    await runAt(THURSDAY + DAY_MS);
    expect(published().day).toBe('2026-11-20');
    expect(worstOf(published().rates, known)).toBeLessThan(0.05);
    const days = past('U').days.filter(({ day }) => day >= '2026-11-13');
    expect(days).not.toEqual([]);
    // The dollar of ten years before was so near in this world that it does not give the others away.
    for (const { day, rates } of days) expect(worstOf(rates, known), day).toBeLessThan(0.1);
  });
});
