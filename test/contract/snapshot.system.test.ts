import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { LocalServiceOptions } from '../../local/service.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { encodeSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import { clockAt } from './clock.ts';
import { ageOf, dataOf, type Service, startService } from './service.ts';

const OBJECT = '/local/snapshot/tickers.v3';
const BITCOIN = '/api/marketdata/ticker/btc-bitcoin';
/** Each test starts a service of its own, and its processes. */
const STARTS_MS = 60_000;
const coins = simulatedEntries();
const byRank = coins
  .filter(({ is_active, rank }) => is_active && rank > 0)
  .toSorted((a, b) => a.rank - b.rank)
  .map(({ id }) => id);

let service: Service;
afterEach(() => service.local.close());

async function start(options: LocalServiceOptions = {}): Promise<Service> {
  service = await startService({ store: true, provider: { simulated: { coins } }, ...options });
  return service;
}
const ticker = (id: string) => service.get(`/api/marketdata/ticker/${encodeURIComponent(id)}`);

function s3() {
  const { store } = service.local;
  if (!store) throw new Error('these tests need the store');
  return store.s3;
}

/** Publishes bitcoin alone, at a price and an age of our choosing. Returns the time of it all. */
function publish(price: number, ageSeconds: number, intervalSeconds = 600): string {
  const takenAt = Date.now() - ageSeconds * 1000;
  const last_updated = new Date(takenAt).toISOString();
  const row = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', last_updated, quotes: { USD: { price } } };
  const tickers = [readTicker(row)];
  s3().objects.set(
    OBJECT,
    Buffer.from(encodeSnapshot({ tickers, takenAt, intervalSeconds, source: 'simulated' })),
  );
  return last_updated;
}
const priceOf = async () => dataOf<Ticker>(await service.get(BITCOIN)).quotes.USD.price;

describe.each([
  ['containers', { containers: 3 }],
  ['a container that is frozen between events', { freeze: true }],
] as const)('a ticker from the snapshot, in %s,', { timeout: STARTS_MS }, (_name, options) => {
  it('costs no request upstream, and one where the snapshot does not have the coin', async () => {
    const { provider, get } = await start(options);
    expect(provider.calls.byPath).toEqual({ '/tickers': 1 });

    const known = byRank.slice(0, 90);
    const answers = await Promise.all(known.map((id) => ticker(id)));
    expect(answers.map((answer) => dataOf(answer).id)).toEqual(known);
    expect(provider.calls.total).toBe(1);

    const small = byRank[2500] ?? '';
    expect(dataOf(await ticker(small)).id).toBe(small);
    expect(provider.calls.byPath).toEqual({
      '/tickers': 1,
      [`/tickers/${encodeURIComponent(small)}`]: 1,
    });
    expect((await get('/api/marketdata/ticker/no-such-coin')).status).toBe(404);
    expect(provider.calls.total).toBe(2);
  });

  it('says where it comes from, how old it is, and for how long it is fresh', async () => {
    await start(options);

    const answer = await service.get(BITCOIN);
    const { headers } = answer;
    expect(headers).toMatchObject({ 'x-data-source': 'simulated', 'x-data-quality': 'exact' });
    expect(ageOf(answer)).toBeLessThan(70);
    const [, freshSeconds] = /^public, max-age=(\d+),/.exec(headers['cache-control'] ?? '') ?? [];
    expect(Number(freshSeconds)).toBeGreaterThan(500);
    expect(Number(freshSeconds)).toBeLessThanOrEqual(600);
  });

  it('is the newer one once that is published, for one more request to S3', async () => {
    const clock = clockAt(Date.now());
    onTestFinished(clock.close);
    const { provider } = await start({ ...options, execArgv: clock.execArgv });
    publish(100, 55, 40); // due in the moment, and good for 25 seconds more
    expect(await priceOf()).toBe(100);
    publish(200, 0, 40);
    clock.moveBy(10_000); // by then every container has looked again

    await expect.poll(priceOf).toBe(200);
    expect(provider.calls.total).toBe(1);
  });
});

describe('a snapshot older than two intervals', { timeout: STARTS_MS }, () => {
  it('is not told as fresh: the provider is asked for the one coin', async () => {
    const { provider } = await start();
    publish(100, 1201);

    const answer = await service.get(BITCOIN);
    expect(answer.headers['x-data-quality']).toBe('exact');
    expect(dataOf<Ticker>(answer).quotes.USD.price).not.toBe(100);
    expect(provider.calls.byPath).toMatchObject({ '/tickers/btc-bitcoin': 1 });
  });

  it.each(['status=500', 'drop', 'hang'])(
    'stands in, marked stale, where the provider fails: %s',
    async (fault) => {
      const { provider } = await start();
      const madeAt = publish(100, 1201);
      provider.setFault(fault);

      const answer = await service.get(BITCOIN);
      expect(dataOf<Ticker>(answer).quotes.USD.price).toBe(100);
      expect(answer.headers).toMatchObject({
        'x-data-quality': 'stale',
        'cache-control': publicFor(0),
        'x-data-time': madeAt,
      });
    },
  );

  it('stands in for half a day, and then no more', async () => {
    const { provider } = await start();
    publish(100, 1200 + 12 * 3600 + 1);
    provider.setFault('status=500');

    expect((await service.get(BITCOIN)).status).toBe(502);
  });
});

describe('S3', { timeout: STARTS_MS }, () => {
  it('that hangs costs the first request a second, and nobody an answer', async () => {
    await start();
    s3().delayMs = Number.POSITIVE_INFINITY;

    const asked = performance.now();
    expect((await service.get(BITCOIN)).headers['x-data-quality']).toBe('exact');
    expect(performance.now() - asked).toBeLessThan(10_000); // with the start of its process, and not without an end
    await service.get(BITCOIN);
    expect(s3().requests.filter((request) => request === `GET ${OBJECT}`)).toHaveLength(2); // the job's, and one
  });

  it('that is down leaves the single way', async () => {
    const { provider } = await start();
    await s3().close();

    expect((await service.get(BITCOIN)).headers['x-data-quality']).toBe('exact');
    expect(provider.calls.total).toBe(2);
  });

  it('that holds something else leaves the single way', async () => {
    const { provider } = await start();
    s3().objects.set(OBJECT, Buffer.from('<html>'));

    expect((await service.get(BITCOIN)).headers['x-data-quality']).toBe('exact');
    expect(provider.calls.total).toBe(2);
  });
});
