/** What docs/formats.md and the Grafana dashboard say of the routes; `npm run test:clients` runs the recipes themselves. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import dashboard from '../../docs/grafana-dashboard.json' with { type: 'json' };
import { type Service, startService } from '../../test/contract/service.ts';

const page = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');

let service: Service;
beforeAll(async () => {
  service = await startService({ store: { history: true } });
});
afterAll(() => service.local.close());

describe('docs/formats.md', () => {
  it('names addresses that answer', async () => {
    const addresses = [...page.matchAll(/https?:\/\/(?:localhost:3000|prices\.example\.com)(\/[^\s"'`|]*)/g)]
      .map(([, path = '']) => path.replace('&key=<key>', '')) // this service needs no key
      .filter((path) => path !== '/udf');
    expect(addresses.length).toBeGreaterThan(8);
    for (const path of addresses) {
      const response = await fetch(service.local.url + path);
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it('names the places of our JSON where portfolio trackers read prices', async () => {
    const read = async (path: string) => (await fetch(service.local.url + path)).json();
    const ticker = await read('/api/marketdata/ticker/btc-bitcoin');
    const candles = await read('/api/marketdata/ohlcv/btc-bitcoin?limit=366');
    const valuesAt = (json: unknown, path: string): unknown[] =>
      path
        .split('.')
        .slice(1)
        .flatMap((part) => (part.endsWith('[*]') ? [part.slice(0, -3), '*'] : [part]))
        .reduce<unknown[]>(
          (values, name) =>
            values.flatMap((value) =>
              name === '*' ? (value as unknown[]) : [(value as Record<string, unknown>)[name]],
            ),
          [json],
        );
    const [, selector = ''] = /"selector": "([^"]+)"/.exec(page) ?? [];
    const [, dates = ''] = /Path to Date `([^`]+)`/.exec(page) ?? [];
    const [, closes = ''] = /Path to Close `([^`]+)`/.exec(page) ?? [];
    expect(valuesAt(ticker, selector)).toEqual([expect.any(Number)]);
    expect(valuesAt(candles, dates)).toHaveLength(valuesAt(candles, closes).length);
    expect(valuesAt(candles, dates)[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(valuesAt(candles, closes)[0]).toEqual(expect.any(Number));
  });
});

it('has a dashboard of the gauges that are exported', async () => {
  const text = await (await fetch(`${service.local.url}/export/prices.prom?ids=btc-bitcoin`)).text();
  const shown = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/marketdata_\w+/g)),
  );
  expect([...new Set(shown)].sort()).toEqual(
    [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name).sort(),
  );
});
