import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { median } from '../../shared/marketdata/sources/market.ts';
import { type CoinQuote, sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import { QUOTES_NAME, type Quote } from '../../shared/marketdata/store/quotes.ts';
import { quotesJson } from '../../shared/marketdata/store/quotes-writer.ts';
import { openSnapshot, type Snapshot } from '../../shared/marketdata/store/snapshot.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import { parseEntries, type RegistryEntry } from '../../shared/registry/entries.ts';
import { counted } from '../counted.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';
import { tickerOf } from './tickers.ts';

/** A row as the provider sends it: readers find out what it means. */
type Row = { readonly id: string };

const BUCKET = 'bucket';
const waiting = '../../shared/platform/with-timeout.ts';

/** A provider and exchanges that say what the test lets them, on one store, with a clock that the test sets. */
export async function startTwoSides(now: number) {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const s3 = await startStubbedS3();
  const state: { list: readonly Row[] | undefined } = { list: [] };
  const provider = createServer(({ url = '' }, response) => {
    const { list } = state;
    const [, id] = /\/tickers\/(.+)$/.exec(url) ?? [];
    const answer = id === undefined ? list : list?.find((one) => one.id === decodeURIComponent(id));
    const head = { 'content-type': 'application/json' };
    if (answer) response.writeHead(200, head).end(JSON.stringify(answer));
    else response.writeHead(list ? 404 : 403, head).end('{}');
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo; // TCP, so never a string
  const environment = {
    NODE_ENV: 'test',
    COINPAPRIKA_BASE_URL: `http://127.0.0.1:${port}/v1`,
    SNAPSHOT_BUCKET: BUCKET,
    HISTORY_BUCKET: BUCKET,
    SOURCES_BUCKET: BUCKET,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.doMock(waiting, patiently);
  vi.resetModules(); // a cold start
  withoutPace();
  const store = sourcesStore(BUCKET);

  return {
    s3,
    /** The list that the provider answers with; undefined: it refuses all requests. */
    provide: (list: readonly Row[] | undefined) => {
      state.list = list;
    },
    /** The next cold start finds these coins in the registry. */
    async register(coins: readonly RegistryEntry[]): Promise<void> {
      const folder = mkdtempSync(join(inject('runFolder'), 'two-sides-registry-'));
      await writeRegistry(folder, buildRegistry(parseEntries(coins), { source: 'simulated' }));
      vi.stubEnv('REGISTRY_PATH', folder);
      vi.resetModules();
    },
    /** Publishes quotes as their job does; `isShown` also for routes. */
    async quote(
      takenAt: number,
      coins: Readonly<Record<string, readonly CoinQuote[]>>,
      isShown = false,
    ): Promise<void> {
      const { etag } = await store.quotes();
      const all = Object.entries(coins);
      await store.putQuotes({ takenAt, coins: new Map(all) }, etag);
      if (isShown)
        putQuotes(
          s3,
          takenAt,
          all.map(([id, own]) => [id, own.map(({ exchange, price }) => ({ exchange, price }))]),
        );
    },
    async runAt(time: number) {
      vi.setSystemTime(time);
      const { handler } = await import('../../functions/marketdata/jobs/snapshot/handler.ts');
      return handler();
    },
    published: (): Snapshot => openSnapshot(s3.objects.get(`/${BUCKET}/snapshot/tickers.v4`) ?? Buffer.of()),
    metrics: counted,
    async close(): Promise<void> {
      vi.doUnmock(waiting);
      vi.resetModules(); // the next file's own would be those that use it
      vi.useRealTimers();
      vi.unstubAllEnvs();
      provider.close();
      await s3.close();
    },
  };
}

/** Waits for slow work on a busy machine: only the clock of the test decides what is late. */
async function patiently(original: () => Promise<unknown>) {
  const { withTimeout } = (await original()) as typeof import('../../shared/platform/waiting.ts'); // it is that module
  type Others = [promise: Promise<unknown>, late: () => unknown];
  return { withTimeout: (ms: number, ...others: Others) => withTimeout(ms + 10_000, ...others) };
}

/** Puts prices of markets for routes. */
export function putQuotes(
  s3: S3Server,
  takenAt: number,
  coins: readonly (readonly [id: string, prices: Quote['prices']])[],
  { intervalSeconds = 60, ...given }: Partial<Quote> & { readonly intervalSeconds?: number } = {},
): void {
  const quotes = coins.map(([id, prices]): [string, Quote] => {
    const price = median(prices.map((one) => one.price));
    const changes = { change15m: null, change30m: null };
    return [id, { price, madeAt: takenAt, isDisputed: false, ...changes, prices, ...given }];
  });
  const text = quotesJson({ takenAt, intervalSeconds, coins: new Map(quotes) });
  s3.objects.set(`/${BUCKET}/snapshot/${QUOTES_NAME}`, Buffer.from(text));
}

export type TwoSides = Awaited<ReturnType<typeof startTwoSides>>;

export function tickerAt(id: string, price: number, time: number): Ticker {
  return { ...tickerOf(id, price, time), rank: 700 };
}

const exchanges = ['coinbase', 'kraken', 'binance'];

/** The prices of one exchange after the other. */
export function quotesOf(...prices: readonly number[]): CoinQuote[] {
  return prices.map((price, index) => ({
    exchange: exchanges[index] ?? `exchange${index}`,
    market: 'A-USD',
    price,
    change: index,
    at: null,
  }));
}
