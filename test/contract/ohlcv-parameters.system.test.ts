import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, expectFailure, type Service, startService } from './service.ts';

interface Candles {
  readonly coinId: string;
  readonly interval: string;
  readonly quote: string;
  readonly count: number;
  readonly data: {
    readonly time_open: string;
    readonly time_close: string;
    readonly volume: number | null;
  }[];
}

const INSTANT = 'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z';

// The functions run on the real clock, so windows of the past are asked for of a provider without plan limits.
let service: Service;
beforeAll(async () => {
  service = await startService({
    provider: { simulated: { plan: 'paid' } },
    env: { UPSTREAM_TIMEOUT_MS: '8000' }, // more than ten requests a second have to wait
  });
});
afterAll(() => service.local.close());

async function candles(query: string): Promise<Candles> {
  return dataOf<Candles>(await service.get(`/api/marketdata/ohlcv/btc-bitcoin?${query}`));
}

async function days(query: string): Promise<string[]> {
  return (await candles(query)).data.map(({ time_open }) => time_open.slice(0, 10));
}

describe('defaults', () => {
  it('are 30 daily candles in usd, the running day included', async () => {
    const { data, ...rest } = await candles('');

    expect(rest).toEqual({ coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: 30 });
    expect(data).toHaveLength(30);
    expect(data.at(-1)?.time_open.slice(0, 10)).toBe(new Date().toISOString().slice(0, 10));
  });

  it('can be left to themselves one by one', async () => {
    expect((await candles('interval=1h')).data).toHaveLength(30);
    expect((await candles('limit=1')).data).toHaveLength(1);
    expect((await candles('quote=btc')).quote).toBe('btc');
  });
});

describe('windows', () => {
  it('begin at start and hold at most limit candles, over a leap day', async () => {
    expect(await days('start=2024-02-28&limit=3')).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  });

  it('end with the day that end names', async () => {
    expect(await days('end=2024-03-01&limit=2')).toEqual(['2024-02-29', '2024-03-01']);
  });

  it('end at the instant that end names', async () => {
    expect(await days('end=2024-03-01T00:00:00Z&limit=2')).toEqual(['2024-02-28', '2024-02-29']);
  });

  it('hold what lies between start and end', async () => {
    expect(await days('start=2023-12-31&end=2024-01-02')).toEqual(['2023-12-31', '2024-01-01', '2024-01-02']);
  });

  it('read offsets', async () => {
    const { data } = await candles('interval=1h&limit=2&start=2024-03-01T00:30:00%2B02:00');
    expect(data.map(({ time_open }) => time_open)).toEqual(['2024-02-29T22:00:00Z', '2024-02-29T23:00:00Z']);
  });

  it('fold weeks back from the end, of days that were asked for before', async () => {
    await candles('end=2024-02-29&limit=1');
    service.provider.calls.reset();

    const { data } = await candles('interval=7d&limit=3&end=2024-02-29');

    expect(data.map(({ time_open, time_close }) => [time_open, time_close])).toEqual([
      ['2024-02-09T00:00:00Z', '2024-02-15T23:59:59Z'],
      ['2024-02-16T00:00:00Z', '2024-02-22T23:59:59Z'],
      ['2024-02-23T00:00:00Z', '2024-02-29T23:59:59Z'],
    ]);
    expect(service.provider.calls.total).toBe(0);
  });

  it.each([
    ['24h', 366],
    ['7d', 52],
    ['14d', 26],
    ['30d', 12],
    ['90d', 4],
    ['365d', 1],
  ])('of %s reach as far back as one upstream request does', async (interval, count) => {
    const found = (await candles(`interval=${interval}&limit=366`)).count;
    // Just after midnight the provider's list lacks the day that began, and the one before.
    expect(found).toBeGreaterThanOrEqual(interval === '24h' ? count - 2 : count);
    expect(found).toBeLessThanOrEqual(count);
  });
});

describe('bad values', () => {
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10); // or the day after, until midnight

  it.each([
    ['interval=2h', 'Invalid parameter interval: "2h"; allowed: 1h, 24h, 7d, 14d, 30d, 90d, 365d'],
    ['limit=0', 'Invalid parameter limit: 0; allowed: an integer from 1 to 366'],
    ['limit=367', 'Invalid parameter limit: 367; allowed: an integer from 1 to 366'],
    ['limit=1.5', 'Invalid parameter limit: "1.5"; allowed: an integer from 1 to 366'],
    ['limit=0x10', 'Invalid parameter limit: "0x10"; allowed: an integer from 1 to 366'],
    ['limit=', 'Invalid parameter limit: ""; allowed: an integer from 1 to 366'],
    ['limit=1&limit=2', 'Invalid parameter limit: given 2 times; allowed: once, an integer from 1 to 366'],
    ['quote=eur', 'Invalid parameter quote: "eur"; allowed: usd, btc'],
    ['start=yesterday', `Invalid parameter start: "yesterday"; allowed: ${INSTANT}`],
    ['start=2023-02-29', `Invalid parameter start: "2023-02-29"; allowed: ${INSTANT}`],
    ['end=2024-13-01', `Invalid parameter end: "2024-13-01"; allowed: ${INSTANT}`],
    [
      'start=2024-03-02&end=2024-03-01',
      'Invalid parameter start: "2024-03-02"; allowed: a time before end (2024-03-01)',
    ],
    [
      `start=${tomorrow}`,
      `Invalid parameter start: "${tomorrow}"; allowed: a time that is not in the future`,
    ],
  ])('%s is a 400', async (query, error) => {
    expectFailure(await service.get(`/api/marketdata/ohlcv/btc-bitcoin?${query}`), 400, error);
  });
});
