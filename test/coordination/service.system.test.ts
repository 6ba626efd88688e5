/** Containers that share the table and the store, while parts of the service die; in the long project with many requests at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LocalServiceOptions } from '../../local/service.ts';
import {
  type Answer,
  DOCUMENTED,
  dataOf,
  isEnvelope,
  type Service,
  startService,
} from '../contract/service.ts';
import { isLong } from '../setup/long.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const CANDLES = '/api/marketdata/ohlcv/btc-bitcoin?interval=1h&limit=48';
const paths = ['btc-bitcoin', 'eth-ethereum', 'sol-solana'].map((id) => `/api/marketdata/ticker/${id}`);
let service: Service | undefined;

async function start(options: LocalServiceOptions): Promise<Service> {
  const env = { UPSTREAM_TIMEOUT_MS: '2000', ...options.env };
  service = await startService({ shared: true, containers: 4, store: true, ...options, env });
  return service;
}

/** Starts the service before any list was published: every ticker is fetched by itself. */
async function startWithoutList(options: LocalServiceOptions): Promise<Service> {
  const faults = { coinpaprika: 'status=500x1' };
  const started = await start({ ...options, provider: { simulated: { faults } } });
  started.provider.calls.reset();
  return started;
}

afterEach(() => service?.local.close());

/** Ends every process of the functions that call the provider, so that new ones answer next. */
function killContainers(of: Service): void {
  for (const pid of pidsOf(of)) process.kill(pid, 'SIGKILL');
}

function pidsOf({ local }: Service): number[] {
  return local.functions.flatMap(({ name, pids }) => (/Ticker|Ohlcv/.test(name) ? pids : []));
}

const TABLE_REST_MS = 5_000;

/**
 * Repeats a request that gets a 429: on a busy machine the table may take longer than a container waits, and the container then
 * spends nothing for a while.
 */
async function patiently({ get }: Service, path: string): Promise<Answer> {
  let answer = await get(path);
  for (let tries = 1; tries < 3 && answer.status === 429; tries += 1) {
    await sleep(TABLE_REST_MS + 500);
    answer = await get(path);
  }
  return answer;
}

/** The answer of API Gateway itself for a function that died while it had the event. */
const GATEWAY = [500, 503];

describe('containers that share a table and are frozen between events', { timeout: 60_000 }, () => {
  const options = { freeze: true };
  it('fetch once for many requests at the same time, share what they have, and leave it to their successors', async () => {
    const started = await startWithoutList({ ...options, env: { UPSTREAM_TIMEOUT_MS: '5000' } });
    const { provider, local } = started;
    provider.setFault('latency=500ms');

    const together = await Promise.all(Array.from({ length: 40 }, () => started.get(TICKER)));

    expect(together.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(local.functions.find(({ name }) => /Ticker/.test(name))?.pids).toHaveLength(4);
    expect(provider.calls.total).toBe(1);

    const candles = await patiently(started, CANDLES);
    for (let n = 0; n < 3; n += 1) expect(dataOf(await patiently(started, CANDLES))).toEqual(dataOf(candles));
    expect(dataOf<{ count: number }>(candles).count).toBeGreaterThanOrEqual(23);
    expect(provider.calls.total).toBe(2);

    killContainers(started);
    await expect.poll(() => pidsOf(started)).toEqual([]);

    expect(dataOf(await patiently(started, CANDLES))).toEqual(dataOf(candles));
    expect(dataOf(await patiently(started, TICKER))).toEqual(dataOf(together[0] as Answer));
    expect(provider.calls.total).toBe(2);
  });

  it('spend no more than the budget, then serve what they have, and otherwise say when to retry', async () => {
    const { provider, get } = await startWithoutList({
      ...options,
      // Three a day; the list has cost one.
      env: {
        UPSTREAM_MONTHLY_BUDGET: '93',
        UPSTREAM_SCHEDULED_DAILY: '0',
        TICKER_FRESH_SECONDS: '1',
      },
    });
    const known = await get(TICKER);
    expect((await get('/api/marketdata/ticker/eth-ethereum')).status).toBe(200);
    await sleep(1100);

    const unknown = await get('/api/marketdata/ticker/sol-solana');
    const stale = await get(TICKER);

    expect(unknown).toMatchObject({
      status: 429,
      body: {
        error: expect.stringMatching(
          /^Rate limit exceeded: the service's upstream budget; try again in \d+ s$/,
        ),
      },
    });
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    const retryAt = Date.now() + Number(unknown.headers['retry-after']) * 1000;
    expect(Math.abs(retryAt - midnight)).toBeLessThan(30_000); // answered a while ago
    expect(dataOf(stale)).toEqual(dataOf(known));
    expect(stale.headers['x-data-quality']).toBe('stale');
    expect(provider.calls.total).toBe(2);
  });

  it('serve what they have seen, marked stale, when the table is gone', async () => {
    const { local, get } = await startWithoutList({ containers: 1, env: { TICKER_FRESH_SECONDS: '1' } });
    for (const path of paths) await get(path);
    await local.shared?.dynamoDb.close();
    await sleep(1100);

    // More often than a container has paid ahead for.
    const answers: Answer[] = [];
    for (const path of [...paths, ...paths, ...paths]) answers.push(await get(path));

    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(answers.at(-1)?.headers['x-data-quality']).toBe('stale');
  });
});

/** Requests three tickers in turn for a second and adds the responses to `answers`. */
async function askInTurn(get: Service['get'], answers: Answer[]): Promise<void> {
  for (let n = 0; n < 25; n += 1) {
    answers.push(await get(paths[n % paths.length] ?? ''));
    await sleep(40);
  }
}

function testDeaths(): void {
  it('is answered with documented envelopes when the table is gone', async () => {
    const { local, get } = await startWithoutList({ env: { TICKER_FRESH_SECONDS: '1' } });
    const answers: Answer[] = [];
    const load = () => askInTurn(get, answers);

    const loads = [load(), load(), load(), load()];
    await sleep(700);
    await local.shared?.dynamoDb.close();
    await Promise.all(loads);

    expect(answers.filter((answer) => !isEnvelope(answer))).toEqual([]);
    expect(answers.filter(({ status }) => !DOCUMENTED.includes(status))).toEqual([]);
  });

  it('is answered when S3 is gone, by new containers too, which each fetch a coin once', async () => {
    const { local, provider, get } = await start({});
    const answers: Answer[] = [];
    const load = () => askInTurn(get, answers);
    await load();
    expect(provider.calls.byPath).toEqual({ '/tickers': 1 });

    const loads = [load(), load(), load(), load()];
    await sleep(200);
    await local.store?.s3.close();
    killContainers(service as Service);
    await Promise.all(loads);

    const died = answers.filter(({ status }) => GATEWAY.includes(status));
    expect(died.length).toBeLessThanOrEqual(4); // one for each process that was killed
    expect(answers.filter((answer) => !isEnvelope(answer) && !died.includes(answer))).toEqual([]);
    // New containers may be late while the machine is busy; then each coin is answered.
    expect(answers.filter(({ status }) => ![...DOCUMENTED, ...GATEWAY].includes(status))).toEqual([]);
    for (const path of paths) await expect.poll(async () => (await get(path)).status).toBe(200);
    expect(provider.calls.total).toBeLessThanOrEqual(1 + 4 * paths.length);
  });

  it('is answered by others when containers are killed, and costs no more than one more request', async () => {
    const { provider, get } = await startWithoutList({});
    const answers: Answer[] = [];
    const load = async () => {
      for (let n = 0; n < 20; n += 1) {
        answers.push(await get(TICKER));
        await sleep(30);
      }
    };

    const loads = [load(), load(), load(), load()];
    for (let n = 0; n < 4; n += 1) {
      await sleep(150);
      killContainers(service as Service);
    }
    await Promise.all(loads);

    expect(answers.filter(({ status }) => ![...DOCUMENTED, ...GATEWAY].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(60);
    expect(provider.calls.total).toBeLessThanOrEqual(2);
  });

  it('goes on after the holder of a lease was killed during its request', async () => {
    const { provider, get } = await startWithoutList({ env: { UPSTREAM_TIMEOUT_MS: '2500' } });
    provider.setFault('hangx1');
    const doomed = get(TICKER);
    await expect.poll(() => provider.calls.total, { timeout: 5000 }).toBe(1);
    killContainers(service as Service);
    const startedAt = performance.now();

    const answers = await Promise.all(Array.from({ length: 8 }, () => get(TICKER)));

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(provider.calls.total).toBe(2);
    expect(GATEWAY).toContain((await doomed).status);
  });
}

if (isLong) describe('a load during which things die', { timeout: 60_000 }, testDeaths);
