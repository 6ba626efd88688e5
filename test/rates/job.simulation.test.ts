import { describe, expect, it, vi } from 'vitest';
import { runUntilKilled } from '../history/deadly-s3.ts';
import { documentOf, figures } from './document.ts';
import { DAY_MS, DOUBTED, FRIDAY, HOUR_MS, RATES, useRatesWorld } from './world.ts';

const DAY = '2026-11-20';
const count = Object.keys(figures).length;
const sorted = Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)));
const dollarAt = (rate: string) => ({ ...figures, USD: rate });
const world = useRatesWorld();

describe('the rates job, against real servers in place of S3 and the source', () => {
  it('publishes the rates of the day as they were told, in one request', async () => {
    const { tell, runAt, s3, source } = world();
    tell(documentOf(DAY));

    expect(await runAt(FRIDAY)).toEqual({ day: DAY, currencies: count, isNew: true });
    expect(s3.objects.get(RATES)?.toString()).toBe(
      JSON.stringify({ day: DAY, source: 'ecb', rates: sorted }),
    );
    expect(source.requests).toEqual(['/stats/eurofxref-daily.xml']);
  });

  it('changes nothing if they are told again, in another order too', async () => {
    const { tell, runAt, s3 } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    s3.requests.length = 0;
    tell(documentOf(DAY, sorted));

    expect(await runAt(FRIDAY + 6 * HOUR_MS)).toEqual({ day: DAY, currencies: count, isNew: false });
    expect(s3.requests).toEqual([`GET ${RATES}`]);
  });

  it('takes those of Monday after a weekend, and those of a day that were corrected', async () => {
    const { tell, runAt, published } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    tell(documentOf('2026-11-23', dollarAt('1.2')));
    await runAt(FRIDAY + 3 * DAY_MS);
    tell(documentOf('2026-11-23', dollarAt('1.3')));

    expect(await runAt(FRIDAY + 3 * DAY_MS + HOUR_MS)).toMatchObject({ day: '2026-11-23', isNew: true });
    expect(published()?.rates.USD).toBe('1.3');
  });

  it('refuses those of a day before the published one', async () => {
    const { tell, runAt, published, metrics } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    tell(documentOf('2026-11-19'));

    await expect(runAt(FRIDAY + HOUR_MS)).rejects.toThrow(
      'Not published: rates of 2026-11-19, where those of 2026-11-20 are known',
    );
    expect(published()?.day).toBe(DAY);
    expect(await metrics()).toMatchObject({ ImplausibleOlder: 1 });
  });

  it('writes an object anew that cannot be read', async () => {
    const { tell, runAt, s3, published } = world();
    s3.objects.set(RATES, Buffer.from('{"day":"2026-11'));
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    expect(published()).toMatchObject({ day: DAY, rates: figures });
  });

  it('ends with one whole object if it runs twice at once', async () => {
    const { tell, runAt, published } = world();
    tell(documentOf(DAY));
    const results = await Promise.all([runAt(FRIDAY), runAt(FRIDAY)]);
    expect(results.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(published()).toMatchObject({ day: DAY, rates: figures });
  });

  it.each([
    ['between reads and its put', { put: 1, isPut: false }],
    ['after its put', { put: 1, isPut: true }],
  ])('leaves whole objects or none if it is killed %s, and the next run does the rest', async (_when, at) => {
    const { tell, runAt, s3, published } = world();
    tell(documentOf('2026-10-01'));
    vi.setSystemTime(vi.getRealSystemTime()); // the process has its own clock
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const after = await runUntilKilled(at, { job: 'daily-rates', objects: new Map(), env, execArgv: [] });
    for (const [path, bytes] of after) s3.objects.set(path, bytes);
    expect(after.has(RATES)).toBe(at.isPut);
    if (at.isPut) expect(published()).toMatchObject({ day: '2026-10-01', rates: figures });

    await runAt(vi.getRealSystemTime());
    expect(published()).toMatchObject({ day: '2026-10-01', rates: figures });
  });
});

describe('a rate that is more than a fifth off the published one', () => {
  it('is refused until the same has been told for half a day', async () => {
    const { tell, runAt, published, metrics } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    const monday = FRIDAY + 3 * DAY_MS;
    tell(documentOf('2026-11-23', dollarAt('1.3825')));

    for (const hours of [0, 0.05, 6])
      await expect(runAt(monday + hours * HOUR_MS)).rejects.toThrow(
        'Not published until it is told for half a day: 1.3825 for USD, where it was 1.1520 on 2026-11-20',
      );
    expect(published()?.day).toBe(DAY);
    expect(await metrics()).toMatchObject({ ImplausibleJump: 1 });
    expect(await runAt(monday + 12 * HOUR_MS)).toMatchObject({ day: '2026-11-23', isNew: true });
    expect(published()?.rates.USD).toBe('1.3825');
  });

  it('is refused anew if what is told changes meanwhile', async () => {
    const { tell, runAt, published } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    for (const [hours, rate] of [
      [0, '3'],
      [12, '4'],
      [18, '3'],
    ] as const) {
      tell(documentOf(DAY, dollarAt(rate)));
      await expect(runAt(FRIDAY + hours * HOUR_MS)).rejects.toThrow(`${rate} for USD`);
    }
    expect(published()?.rates.USD).toBe(figures.USD);
  });

  it('gets in within a day, wherever the runs are between two publications', async () => {
    const { tell, runAt, published } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    for (let hour = 0; hour < 48; hour += 6) {
      const now = FRIDAY + 3 * DAY_MS + hour * HOUR_MS;
      tell(documentOf(hour < 21 ? '2026-11-23' : '2026-11-24', dollarAt('2')));
      await runAt(now).catch(() => {});
    }
    expect(published()).toMatchObject({ day: '2026-11-24', rates: { USD: '2' } });
  });

  it('is taken at once if the published ones are older than a week', async () => {
    const { tell, runAt } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    tell(documentOf('2026-12-01', dollarAt('9')));
    expect(await runAt(Date.UTC(2026, 11, 1, 18))).toMatchObject({ isNew: true });
  });

  it('is not kept out for longer by a note that is from the future, or cannot be read', async () => {
    const { tell, runAt, s3 } = world();
    tell(documentOf(DAY));
    await runAt(FRIDAY);
    tell(documentOf(DAY, dollarAt('9')));
    s3.objects.set(DOUBTED, Buffer.from('{"since":'));
    await expect(runAt(FRIDAY)).rejects.toThrow('9 for USD');
    const note = JSON.parse(s3.objects.get(DOUBTED)?.toString() ?? '');
    s3.objects.set(DOUBTED, Buffer.from(JSON.stringify({ ...note, since: FRIDAY + 900 * DAY_MS })));
    await expect(runAt(FRIDAY)).rejects.toThrow('9 for USD');
    expect(await runAt(FRIDAY + 12 * HOUR_MS)).toMatchObject({ isNew: true });
  });
});

describe('a clock that jumps', () => {
  it('keeps nobody out: rates of a day that has not begun are no measure', async () => {
    const { tell, runAt, published } = world();
    tell(documentOf('2026-12-31', dollarAt('9')));
    await runAt(Date.UTC(2026, 11, 31, 18));
    tell(documentOf(DAY));

    expect(await runAt(FRIDAY)).toEqual({ day: DAY, currencies: count, isNew: true });
    expect(published()?.rates.USD).toBe(figures.USD);
  });
});
