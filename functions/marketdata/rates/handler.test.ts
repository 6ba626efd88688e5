import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../../local/s3.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { ratesText } from '../../../shared/marketdata/rates.ts';
import { MINUTE_MS } from '../../../shared/platform/time.ts';
import { commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { startStubbedS3 } from '../../../test/s3.ts';
import { route } from './route.ts';

const PATH = '/bucket/snapshot/rates.v1';
const rates = { USD: '1.1520', GBP: '0.88050', JPY: '180.50' };
const FRIDAY = '2026-11-20';
const at = (text: string) => Date.parse(text);
const MISSING = 'No exchange rates are available; try again in a minute';

let s3: S3Server;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: at('2026-11-20T18:00:00Z') });
  s3 = await startStubbedS3();
  vi.stubEnv('SNAPSHOT_BUCKET', 'bucket');
  vi.stubEnv('NODE_ENV', 'test');
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await s3.close();
});

const publish = (day = FRIDAY, source = 'ecb') =>
  s3.objects.set(PATH, Buffer.from(ratesText({ day, source, rates })));

const { ask, dataOf } = underTest(route, () => import('./handler.ts'));

describe('the rates', () => {
  it('are one euro in each currency, in alphabetical order, with exactly the documented fields', async () => {
    publish();
    const answer = await ask();

    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'ecb',
        'x-data-quality': 'exact',
        'x-data-time': '2026-11-20T14:00:00.000Z',
        'cache-control': publicFor(600),
      },
      body: { success: true, data: { base: 'EUR', day: FRIDAY, rates, count: 3 } },
    });
    expect(Object.keys((await dataOf()).rates)).toEqual(['GBP', 'JPY', 'USD']);
  });

  it('of several sources and days name them, the source of most first', async () => {
    const others = { sources: { XAU: 'frankfurter', UAH: 'frankfurter' }, days: { UAH: '2026-11-22' } };
    const all = { ...rates, XAU: '0.000288', UAH: '48.6' };
    s3.objects.set(PATH, Buffer.from(ratesText({ day: FRIDAY, source: 'ecb', rates: all, ...others })));
    expect(await ask()).toMatchObject({
      status: 200,
      headers: { 'x-data-source': 'ecb,frankfurter' },
      body: { data: { base: 'EUR', day: FRIDAY, rates: all, ...others, count: 5 } },
    });
  });

  it('are read once in ten minutes', async () => {
    publish();
    for (const minutes of [0, 5, 9]) {
      vi.setSystemTime(at('2026-11-20T18:00:00Z') + minutes * MINUTE_MS);
      await ask();
    }
    expect(s3.requests).toEqual([`GET ${PATH}`]);
    publish('2026-11-23');
    vi.setSystemTime(at('2026-11-23T18:00:00Z'));
    expect(await ask()).toMatchObject({ body: { data: { day: '2026-11-23' } } });
  });

  it.each([
    ['2026-11-23T09:00:00Z', 'exact', publicFor(600)],
    ['2026-11-25T23:00:00Z', 'exact', publicFor(600)],
    ['2026-11-26T00:01:00Z', 'stale', publicFor(0)],
  ])('of a Friday are at %s %s', async (now, quality, caching) => {
    publish();
    vi.setSystemTime(at(now));
    expect(await ask()).toMatchObject({
      status: 200,
      headers: {
        'x-data-quality': quality,
        'cache-control': caching,
        'x-data-time': '2026-11-20T14:00:00.000Z',
      },
    });
  });

  it('stay while the store fails, also when the clock jumps', async () => {
    publish();
    await ask();
    s3.failing = PATH;
    for (const now of ['2026-11-20T19:00:00Z', '2026-11-22T19:00:00Z', '2026-11-20T18:30:00Z']) {
      vi.setSystemTime(at(now));
      expect(await ask()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
    }
  });
});

describe('without rates', () => {
  it.each([
    ['there are none yet', () => {}],
    ['they cannot be read', () => void s3.objects.set(PATH, Buffer.from('{"day":'))],
    ['the store fails', () => Object.assign(s3, { failing: PATH })],
  ])('it is a 503 with the next step: %s', async (_why, prepare) => {
    prepare();
    const headers = { ...refusalHeaders(100), 'retry-after': '60' };
    expect(await ask()).toEqual({ status: 503, headers, body: failure(MISSING) });
  });
});
