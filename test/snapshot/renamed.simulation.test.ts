/** A coin whose symbol and name change at the provider while its id stays, hours before the daily registry has them. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { defaultCoins, type SimulatedCoin } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { useWorld } from '../history/world.ts';
import { call } from '../pipeline/event.ts';
import { startBetween } from '../sources/liar.ts';
import { startWorld, type World } from '../sources/world.ts';

const ID = 'rndr-render-token';
const BEFORE = { symbol: 'RNDR', name: 'Render Token' };
const AFTER = { symbol: 'RENDER', name: 'Render' };
const coins = defaultCoins
  .slice(0, 80)
  .map((coin): SimulatedCoin => (coin.id === ID ? { ...coin, ...BEFORE } : coin));
const RENAMED = `rename=${ID}:${AFTER.symbol}:${AFTER.name}`;

/** What the provider of the default coins has before it renames its coin. */
const FORMER = `rename=${ID}:${BEFORE.symbol}:${BEFORE.name}`;

interface Shown {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly quotes: { readonly USD: { readonly price: number } };
}

async function ticker(id = ID) {
  const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
  const path = `/api/marketdata/ticker/${id}`;
  const { status, headers, body } = await call(handler, { path, pathParameters: { id } });
  const { data, error } = body as { readonly data?: Shown; readonly error?: string };
  const { symbol, name } = data ?? {};
  const price = data?.quotes.USD.price;
  const ageMs = Date.now() - Date.parse(String(headers['x-data-time']));
  return { status, quality: headers['x-data-quality'], names: { symbol, name }, price, ageMs, error };
}

async function listed() {
  const { handler } = await import('../../functions/marketdata/tickers/handler.ts');
  const { body } = await call(handler, { path: '/api/marketdata/tickers' });
  const { results } = (body as { data: { results: { ticker: Shown; quality: string }[] } }).data;
  const row = results.find((item) => item.ticker.id === ID);
  return { quality: row?.quality, names: { symbol: row?.ticker.symbol, name: row?.ticker.name } };
}

describe.each([
  ['that no exchange trades', 30, 13],
  ['that exchanges trade', 80, 2],
])('a coin of the list %s', (_which, traded, hours) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ coins, listed: traded, hasTraps: false });
  });
  afterEach(() => world.close());
  const singleRequests = () =>
    Object.keys(world.provider.calls.byPath).filter((path) => path.includes(encodeURIComponent(ID)));

  it('keeps its price for as long as the registry has the old symbol, and has the new names with the third list', {
    timeout: 60_000,
  }, async () => {
    await world.runs(2);
    expect(await ticker()).toMatchObject({ quality: 'exact', names: BEFORE });
    world.provider.setFault(`${RENAMED}@/tickers`);
    const prices = new Set<number | undefined>();
    for (let run = 1; run <= 6 * hours; run += 1) {
      // Containers of the jobs and of the routes do not live long.
      if (run < 5 || run % 10 === 0) vi.resetModules();
      await world.runs(1);
      const names = run < 3 ? BEFORE : AFTER;
      const shown = await ticker();
      expect(shown, `run ${run}`).toMatchObject({ status: 200, quality: 'exact', names });
      expect(shown.ageMs).toBeLessThanOrEqual(20 * MINUTE_MS);
      prices.add(shown.price);
      if (run < 5 || run > 6 * hours - 2)
        expect(await listed(), `run ${run}`).toEqual({ quality: 'exact', names });
    }
    expect(prices.size).toBeGreaterThan(2 * hours);
    expect(singleRequests()).toEqual([]);

    // Without the job of the snapshot a caller's own request has the same names.
    vi.setSystemTime(Date.now() + 25 * MINUTE_MS);
    vi.resetModules();
    if (traded < 64) {
      expect(await ticker()).toMatchObject({ status: 200, quality: 'exact', names: AFTER });
      expect(singleRequests()).toHaveLength(1);
    }

    world.provider.setFault(RENAMED);
    await world.list();
    vi.resetModules();
    await world.runs(1);
    expect(await ticker()).toMatchObject({ quality: 'exact', names: AFTER });
    expect(await listed()).toEqual({ quality: 'exact', names: AFTER });
    world.provider.setFault(null);
    await world.runs(1);
    expect(await listed()).toEqual({ quality: 'exact', names: AFTER });
  });

  it('has the new names at once if the registry has them first', async () => {
    await world.runs(2);
    world.provider.setFault(`${RENAMED}@/coins`);
    await world.list();
    for (let run = 0; run < 5; run += 1) {
      vi.resetModules();
      await world.runs(1);
      expect(await listed()).toEqual({ quality: 'exact', names: AFTER });
    }
  });
});

describe('a coin outside the list', () => {
  const NOW = Date.UTC(2026, 8, 18, 12, 10, 30);
  const world = useWorld({ now: NOW, plan: 'free' });
  beforeEach(async () => {
    const folder = mkdtempSync(join(inject('runFolder'), 'renamed-registry-'));
    const entries = coins.map((coin) => ({ is_new: false, is_active: true, ...coin }));
    await writeRegistry(folder, buildRegistry(entries, { source: 'simulated' }));
    vi.stubEnv('REGISTRY_PATH', folder);
    vi.stubEnv('STALE_WAIT_MS', '5000');
    vi.resetModules();
    world().provider.setFault(FORMER);
  });
  const names = { symbol: BEFORE.symbol, name: BEFORE.name };
  const paid = () => world().provider.calls.total;

  it('keeps its price, of one request for each lifetime, under the registry’s names', async () => {
    const first = await ticker();
    expect(first).toMatchObject({ status: 200, quality: 'exact', names });
    world().provider.setFault(null);
    const seen = new Set([first.price]);
    for (let hour = 1; hour <= 30; hour += 1) {
      vi.setSystemTime(NOW + hour * HOUR_MS);
      const shown = await ticker();
      expect(shown, `hour ${hour}`).toMatchObject({ status: 200, quality: 'exact', names });
      seen.add(shown.price);
      await ticker();
      expect(paid()).toBe(1 + hour);
    }
    expect(seen.size).toBe(31);
  });

  it('has a price without a past if the new symbol is in its id', async () => {
    world().provider.setFault(null);
    expect(await ticker()).toMatchObject({ status: 200, quality: 'exact', names });
  });

  it('has a price without a past if its name is the registry’s', async () => {
    world().provider.setFault(`rename=btc-bitcoin:XBT@/tickers`);
    expect(await ticker('btc-bitcoin')).toMatchObject({
      status: 200,
      names: { symbol: 'BTC', name: 'Bitcoin' },
    });
  });

  it('whose symbol and name are others without a past is refused, and paid for once an hour', async () => {
    world().provider.setFault('rename=btc-bitcoin:ZZZ:Zed@/tickers');
    const refused = {
      status: 502,
      error: 'CoinPaprika gave an implausible answer: the symbol "ZZZ" in place of "BTC"',
    };
    expect(await ticker('btc-bitcoin')).toMatchObject(refused);
    vi.setSystemTime(NOW + 30 * MINUTE_MS);
    vi.resetModules();
    expect(await ticker('btc-bitcoin')).toMatchObject(refused);
    expect(paid()).toBe(1);
    vi.setSystemTime(NOW + HOUR_MS);
    expect(await ticker('btc-bitcoin')).toMatchObject(refused);
    expect(paid()).toBe(2);
    world().provider.setFault(null);
    vi.setSystemTime(NOW + 2 * HOUR_MS);
    expect(await ticker('btc-bitcoin')).toMatchObject({ status: 200, names: { symbol: 'BTC' } });
  });

  it('keeps its last price while its tickers have another coin’s figures, paid for once an hour', async () => {
    let factor = 1;
    await startBetween('COINPAPRIKA_BASE_URL', world().provider.url, (json) => {
      const row = json as { symbol: string; quotes: { USD: { price: number } } }; // a ticker
      row.quotes.USD.price *= factor;
      if (factor > 1) row.symbol = 'ZZZ';
    });
    const { price } = await ticker('btc-bitcoin');
    factor = 20;
    for (let hour = 1; hour <= 11; hour += 1) {
      vi.setSystemTime(NOW + hour * HOUR_MS);
      expect(await ticker('btc-bitcoin')).toMatchObject({ status: 200, quality: 'stale', price });
      vi.setSystemTime(NOW + hour * HOUR_MS + 30 * MINUTE_MS);
      expect(await ticker('btc-bitcoin')).toMatchObject({ status: 200, quality: 'stale', price });
      expect(paid()).toBe(1 + hour);
    }
    factor = 1;
    vi.setSystemTime(NOW + 12 * HOUR_MS);
    expect(await ticker('btc-bitcoin')).toMatchObject({ status: 200, quality: 'exact' });
  });
});
