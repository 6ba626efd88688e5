/** The drill of docs/operations.md: lost history is restored from the versions of the bucket. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { runHere } from '../run-here.ts';
import { startStubbedS3 } from '../s3.ts';
import { type Service, startService } from './world.ts';

const TIMEOUT_MS = 180_000;
const NAME = objectNames.series('24h', 'btc-bitcoin', Date.UTC(2026, 10, 20));
const DAYS = `/bucket/history/${NAME}`;

let service: Service;
/** A time before anything was lost. */
let before: string;
beforeEach(async () => {
  service = await startService({ versioned: true });
  before = new Date().toISOString();
  vi.setSystemTime(Date.now() + HOUR_MS);
}, TIMEOUT_MS);
afterEach(() => service.close());

async function restore(...args: string[]) {
  vi.resetModules();
  const { main } = await import('../../scripts/history.ts');
  const place = ['--endpoint', service.s3.url, '--bucket', 'bucket'];
  const { stdout, stderr, code } = await runHere(main, ['restore', ...place, ...args]);
  return { code, stderr, lines: stdout.trimEnd().split('\n') };
}

interface Candle {
  readonly time_open: string;
}

/** The days of a chart, as a new container serves them from the store. */
async function days(id: string): Promise<string[]> {
  const { body } = await service.ask('ohlcv', id, 'limit=366');
  const { data } = (body as { data: { data: Candle[] } }).data;
  return data.map(({ time_open: day }) => day.slice(0, 10));
}

const objectsBelow = (beginning: string) =>
  [...service.s3.objects.keys()].filter((path) => path.startsWith(`/bucket/history/${beginning}`)).sort();

describe('deleted days of a coin', () => {
  it('are restored, and the next roll-up adds the days that were stored since', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const then = await days('btc-bitcoin');
    const well = service.stored();
    for (const path of objectsBelow('days.v2/')) service.s3.objects.delete(path);
    await service.runAll();
    const [since = ''] = (await days('btc-bitcoin')).slice(-2);
    const lost = service.stored();

    const plan = await restore('days.v2/', '--to', before);
    expect(plan).toMatchObject({ code: 0, stderr: '' });
    expect(plan.lines).toContainEqual(
      expect.stringMatching(new RegExp(`^${NAME} {2}of 2026-\\S+Z {2}in place of what is there now$`)),
    );
    expect(plan.lines.at(-1)).toBe('Nothing was changed: --apply does it');
    expect(service.stored()).toEqual(lost);

    expect(await restore('days.v2/', '--to', before, '--apply')).toMatchObject({ code: 0, stderr: '' });
    expect(service.s3.objects.get(DAYS)).toEqual(well.get(DAYS));
    await service.run('roll-up');
    const back = await days('btc-bitcoin');
    // A year's chart begins a day later by now.
    expect(back).toEqual(expect.arrayContaining([...then.slice(2), since]));
    expect(service.s3.objects.get(DAYS)?.length).toBeGreaterThan(lost.get(DAYS)?.length ?? 0);
    // Repeating both changes nothing.
    const restored = service.stored();
    await restore('days.v2/', '--to', before, '--apply');
    await service.run('roll-up');
    expect(service.stored()).toEqual(restored);
  });
});

describe('an overwritten object', () => {
  it('is restored, and no other object is changed', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const well = service.stored();
    const other = `/bucket/history/${objectNames.series('24h', 'eth-ethereum', Date.UTC(2026, 10, 20))}`;
    service.s3.objects.set(DAYS, Buffer.from(well.get(other) ?? ''));
    service.s3.objects.set(other, Buffer.from('nonsense'));

    const name = NAME;
    expect((await restore(name, '--to', before)).lines).toEqual([
      expect.stringMatching(new RegExp(`^${NAME} {2}of \\S+Z {2}in place of what is there now$`)),
      '1 to be changed, 0 left, 0 as they were',
      'Nothing was changed: --apply does it',
    ]);
    await restore(name, '--to', before, '--apply');

    expect(service.s3.objects.get(DAYS)).toEqual(well.get(DAYS));
    expect(String(service.s3.objects.get(other))).toBe('nonsense');
  });

  it('of which no version can be opened is named, and stays', { timeout: TIMEOUT_MS }, async () => {
    service.s3.objects.set(DAYS, Buffer.from('nonsense'));
    vi.setSystemTime(Date.now() + HOUR_MS);
    const then = new Date().toISOString();
    vi.setSystemTime(Date.now() + HOUR_MS);
    service.s3.objects.set(DAYS, Buffer.from('more nonsense'));

    const { code, stderr } = await restore(NAME, '--to', then, '--apply');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^${NAME} was not restored: `)),
    });
    expect(String(service.s3.objects.get(DAYS))).toBe('more nonsense');
  });
});

describe('an object that did not exist then', () => {
  const added = '/bucket/history/days.v2/2019/07';

  it('stays, unless --remove is given', { timeout: TIMEOUT_MS }, async () => {
    service.s3.objects.set(added, Buffer.from(service.s3.objects.get(DAYS) ?? ''));

    const left = await restore('days.v2/', '--to', before, '--apply');
    expect(left.lines[0]).toBe('days.v2/2019/07  left, though it was not there then (--remove removes it)');
    expect(service.s3.objects.has(added)).toBe(true);

    vi.setSystemTime(Date.now() + HOUR_MS);
    const there = new Date().toISOString();
    vi.setSystemTime(Date.now() + HOUR_MS);
    await restore('days.v2/', '--to', before, '--remove', '--apply');
    expect(service.s3.objects.has(added)).toBe(false);
    await restore('days.v2/2019/07', '--to', there, '--apply');
    expect(service.s3.objects.get(added)).toEqual(service.s3.objects.get(DAYS));
  });
});

describe('history.ts restore', () => {
  it('reports a bucket without versions', { timeout: TIMEOUT_MS }, async () => {
    const s3 = await startStubbedS3();
    s3.objects.set(DAYS, Buffer.from('x'));
    const { code, stderr } = await restore('days.v2/', '--to', before, '--endpoint', s3.url);
    await s3.close();

    expect(code).toBe(1);
    expect(stderr).toContain('bucket keeps no versions, so nothing can be restored');
  });

  it('refuses unusable arguments', { timeout: TIMEOUT_MS }, async () => {
    for (const [args, error] of [
      [[], 'The command is: restore <name>'],
      [['days.v2/', 'hours.v2/'], 'The command is: restore <name>'],
      [['days.v2/'], '--to takes a time with its zone'],
      [['days.v2/', '--to', '2026-11-20T18:00:00'], '--to takes a time with its zone'],
      [['days.v2/', '--to', '2026-02-30T18:00:00Z'], '--to takes a time with its zone'],
      [['days.v2/', '--to', 'yesterday'], '--to takes a time with its zone'],
      [['days.v2/', '--to', '2026-11-22T18:00:00Z'], 'has not come yet'],
      [['days.v2/', '--to', '2026-10-20T18:00:00Z'], 'versions are kept for 30 days'],
    ] as const) {
      const { code, stderr } = await restore(...args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(error) });
    }
  });
});
