import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { publicFor } from '../../shared/http/cache-control.ts';
import { openSnapshot, type Snapshot } from '../../shared/marketdata/store/snapshot.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import { type Clock, clockAt } from './clock.ts';
import { falsehoods, type Outcome, ofTickers } from './lies.ts';
import { type Answer, ageOf, dataOf, type Service, startService } from './service.ts';

const NOW = Date.UTC(2026, 8, 18, 12, 10, 30);
const registry = join(import.meta.dirname, '../../dist/layers/registry/registry');
const OBJECT = '/local/snapshot/tickers.v3';
const MINUTE_MS = 60_000;
const INTERVAL_MS = 10 * MINUTE_MS;

let clock: Clock;
let service: Service;
let run: typeof import('../../functions/marketdata/jobs/snapshot/handler.ts').handler;
beforeAll(async () => {
  clock = clockAt(NOW);
  const env = {
    TICKER_FRESH_SECONDS: '1',
    UPSTREAM_TIMEOUT_MS: '5000',
    UPSTREAM_MONTHLY_BUDGET: '900000000',
  };
  service = await startService({ execArgv: clock.execArgv, store: true, env });
  // The job's own runs are too far apart for a test: this one runs it here, for the same store and provider.
  const job = {
    ...service.local.store?.environment,
    AWS_REGION: 'eu-central-1',
    COINPAPRIKA_BASE_URL: service.local.provider.url,
    REGISTRY_PATH: registry,
    UPSTREAM_MONTHLY_BUDGET: '900000000',
  };
  for (const [name, value] of Object.entries(job)) vi.stubEnv(name, value);
  vi.resetModules();
  ({ handler: run } = await import('../../functions/marketdata/jobs/snapshot/handler.ts'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.local.close();
  clock.close();
});
/** Nothing is published, and nobody knows of anything that is not outdated. */
beforeEach(() => {
  clock.moveBy(2 * INTERVAL_MS);
  objects().clear();
  service.provider.setFault(null);
});

function objects(): Map<string, Buffer> {
  const kept = service.local.store?.s3.objects;
  if (!(kept instanceof Map)) throw new Error('these tests need the store in memory');
  return kept;
}
const published = (): Snapshot => openSnapshot(objects().get(OBJECT) ?? Buffer.of());

const ticker = (id = 'btc-bitcoin') => service.get(`/api/marketdata/ticker/${id}`);

/** As a container tells it that has looked for what is published. */
async function tickerOfPublished(): Promise<Answer> {
  // No request waits for all of it.
  await expect
    .poll(async () => dataOf(await ticker()), { interval: 100 })
    .toEqual(published().ticker('btc-bitcoin')?.data);
  return ticker();
}

/** All rows of the provider's list as it is. */
async function truth(): Promise<Ticker[]> {
  const rows: unknown = await (await fetch(`${service.provider.url}/tickers`)).json();
  return (rows as unknown[]).map(readTicker); // a list: the test server is ours
}

/** What a lie makes of a list that is published. */
async function expectPublished(outcome: Exclude<Outcome, RegExp>): Promise<void> {
  service.provider.setFault(null);
  const rows = await truth();
  const told = rows.map(({ id }) => published().ticker(id)?.data);
  if (outcome === 'true') return expect(told).toEqual(rows);
  expect(told).not.toEqual(rows);
  const found = told.filter((row) => row !== undefined);
  if (outcome === 'part') expect(rows).toEqual(expect.arrayContaining(found.filter(isOfNow)));
}

function isOfNow({ last_updated }: Ticker): boolean {
  return Date.parse(last_updated ?? '') >= Date.now() - MINUTE_MS;
}

describe('a list that lies', () => {
  it.each(falsehoods)('is not the first that is published, if it can be known: %s', async (falsehood) => {
    const [outcome] = ofTickers[falsehood];
    service.provider.setFault(falsehood);

    if (!(outcome instanceof RegExp)) {
      await run();
      return expectPublished(outcome);
    }
    await expect(run()).rejects.toThrow(outcome);
    expect(objects().size).toBe(0);
  });

  it.each(falsehoods)('is not published over a good one, which answers on: %s', async (falsehood) => {
    const [, outcome] = ofTickers[falsehood];
    await run();
    const good = objects().get(OBJECT);
    const first = dataOf(await tickerOfPublished());
    clock.moveBy(INTERVAL_MS);
    service.provider.setFault(falsehood);

    if (!(outcome instanceof RegExp)) {
      await run();
      return expectPublished(outcome);
    }
    await expect(run()).rejects.toThrow(outcome);
    expect(objects().get(OBJECT)).toBe(good);
    clock.moveBy(MINUTE_MS);
    const answer = await tickerOfPublished();
    expect(dataOf(answer)).toEqual(first);
    expect(ageOf(answer)).toBeGreaterThanOrEqual(600);
    expect(ageOf(answer)).toBeLessThan(800);

    service.provider.setFault(null);
    await run();
    expect(published().takenAt).toBeGreaterThan(Date.now() - MINUTE_MS);
    await expectPublished('true');
  });
});

describe('a list with two bad rows', () => {
  /** Published over a good one. Returns the two coins. */
  async function publishedWithBad(): Promise<readonly string[]> {
    await run();
    clock.moveBy(INTERVAL_MS);
    service.provider.setFault('lie=onebad');
    const { carried, such } = await run();
    expect(carried).toBe(2);
    clock.moveBy(MINUTE_MS);
    return such.map((text) => text.slice(0, text.indexOf(':')));
  }

  it('is published with the former rows of these coins', async () => {
    const before = Date.now();
    const bad = await publishedWithBad();

    expect(bad).toHaveLength(2);
    for (const id of bad) {
      expect(published().ticker(id)).toMatchObject({ storedAt: expect.toSatisfy((at) => at <= before) });
    }
    await tickerOfPublished();
    service.provider.calls.reset();
    expect(dataOf(await ticker())).toEqual(published().ticker('btc-bitcoin')?.data);
    expect(service.provider.calls.total).toBe(0);
  });

  it('makes the service ask for these coins by themselves', async () => {
    const [id = ''] = await publishedWithBad();
    service.provider.setFault(null);
    await tickerOfPublished();
    service.provider.calls.reset();

    const answer = await ticker(id);

    expect(dataOf(answer)).toEqual((await truth()).find((row) => row.id === id));
    expect(answer.headers['x-data-quality']).toBe('exact');
    expect(service.provider.calls.byPath).toMatchObject({ [`/tickers/${id}`]: 1 });
  });

  it('has their former rows stand in, marked stale, where the provider still lies or fails', async () => {
    const [id = '', other = ''] = await publishedWithBad();
    await tickerOfPublished();

    for (const [coin, fault] of [
      [id, 'lie=zero'],
      [other, 'status=500'],
    ] as const) {
      service.provider.setFault(fault);
      const answer = await ticker(coin);
      expect(dataOf(answer)).toEqual(published().ticker(coin)?.data);
      expect(answer.headers).toMatchObject({
        'x-data-quality': 'stale',
        'cache-control': publicFor(0),
      });
      expect(ageOf(answer)).toBeGreaterThan(600);
    }
  });
});
