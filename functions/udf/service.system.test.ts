/** The data feed over HTTP, asked as TradingView's library asks: `UDFCompatibleDatafeed` of its repository. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY, type Service, startService } from '../../test/contract/service.ts';

const DAY_SECONDS = 86_400;

interface Bars {
  readonly s: string;
  readonly t: number[];
  readonly o: number[];
  readonly h: number[];
  readonly l: number[];
  readonly c: number[];
  readonly v?: number[];
  readonly nextTime?: number;
}

/** What the library's requests have in common: a text that it parses whatever the status is, and a header of the page's. */
function requesterOf({ local }: Service) {
  return async <T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> => {
    const texts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const headers = { 'x-api-key': KEY };
    const response = await fetch(`${local.url}/udf/${path}?${texts.join('&')}`, { headers });
    expect(response.status).toBe(200);
    return JSON.parse(await response.text());
  };
}

describe('the library', () => {
  let service: Service;
  let send: ReturnType<typeof requesterOf>;
  beforeAll(async () => {
    service = await startService({
      store: { history: true },
      env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY },
    });
    send = requesterOf(service);
  });
  afterAll(() => service.local.close());

  it('finds a coin as a page begins with it, pages back a year, and polls the last two bars', async () => {
    const config = await send<{ supports_search: boolean; supported_resolutions: string[] }>('config');
    expect(config).toMatchObject({ supports_search: true, supports_group_request: false });
    const now = await send<number>('time');
    expect(Math.abs(now - Date.now() / 1000)).toBeLessThan(10);
    const [found] = await send<{ ticker: string }[]>('search', {
      query: 'BTC',
      type: '',
      exchange: '',
      limit: 30,
    });
    const symbol = await send<{ ticker: string }>('symbols', { symbol: found?.ticker ?? '' });
    expect(symbol).toMatchObject({ ticker: 'btc-bitcoin', has_weekly_and_monthly: false });

    const bars: number[] = [];
    let to = now;
    for (let page = 0; page < 10; page += 1) {
      const query = {
        symbol: symbol.ticker,
        resolution: '1D',
        from: to - 100 * DAY_SECONDS,
        to,
        countback: 100,
      };
      const answer = await send<Bars>('history', { ...query, firstDataRequest: String(page === 0) });
      if (answer.s === 'no_data') break;
      expect([answer.s, answer.t.length]).toEqual(['ok', answer.c.length]);
      bars.unshift(...answer.t);
      to = answer.t[0] ?? 0;
    }
    const today = now - (now % DAY_SECONDS);
    expect(bars.length).toBeGreaterThanOrEqual(365);
    expect(bars).toEqual(bars.map((_, index) => today - (bars.length - 1 - index) * DAY_SECONDS));

    for (let poll = 0; poll < 3; poll += 1) {
      const { t, c } = await send<Bars>('history', {
        ...{ symbol: symbol.ticker, resolution: '1D' },
        ...{ from: now - 10 * DAY_SECONDS, to: now + DAY_SECONDS, countback: 2 },
      });
      expect(t).toEqual([today - DAY_SECONDS, today]);
      expect(c[1]).toBeGreaterThan(0);
    }
  });
});
