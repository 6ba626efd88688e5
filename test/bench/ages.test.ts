import { expect, it } from 'vitest';
import { AgeMeter, FIRST_MS } from '../../bench/fleet/ages.ts';
import type { Request } from '../../bench/fleet/traffic.ts';

const START = Date.UTC(2026, 11, 1);
const NOW = START + FIRST_MS;
const tickerOf = (id: string): Request => ({ route: 'ticker', kind: 'snapshot', parameters: { id } });

function answer(ageSeconds: number, maxAge: number, figuresAt: string | null) {
  const headers = {
    'x-data-time': new Date(NOW - ageSeconds * 1000).toISOString(),
    'cache-control': `public, max-age=${maxAge}, must-revalidate`,
  };
  return { statusCode: 200, headers, body: JSON.stringify({ figures_at: figuresAt }) };
}

it('the ages of prices grow while caches keep them, and are told apart by who made the prices', () => {
  const meter = new AgeMeter(new Set(['btc-bitcoin']), START);
  const btc = tickerOf('btc-bitcoin');
  meter.add(btc, answer(10, 60, '2026-12-01T00:00:00Z'), NOW);
  meter.add(btc, answer(300, 0, null), NOW);

  const ages = meter.take();

  expect(ages.get('exchanges')).toEqual({
    prices: 1,
    answered: { median: 10, p95: 10, oldest: 10 },
    shown: { median: 40, p95: 70, oldest: 70 },
  });
  expect(ages.get('provider')?.shown.oldest).toBe(300);
  expect(ages.get('all')).toMatchObject({ prices: 2, answered: { median: 10, oldest: 300 } });
  expect(meter.take().size).toBe(0);
});

it('other coins, routes and statuses have no age, and neither has the time before there is a map of markets', () => {
  const meter = new AgeMeter(new Set(['btc-bitcoin']), START);
  const known = answer(10, 60, null);
  meter.add(tickerOf('dust-dust'), known, NOW);
  meter.add({ ...tickerOf('btc-bitcoin'), route: 'ohlcv' }, known, NOW);
  meter.add(tickerOf('btc-bitcoin'), { ...known, statusCode: 429 }, NOW);
  meter.add(tickerOf('btc-bitcoin'), known, NOW - 1);

  expect(meter.take().size).toBe(0);
});
