import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { SourceLimits } from '../../shared/coordination/source-limits.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

/** The longest time between two tries. */
const LONGEST_MS = 30_000;
const SHORTEST_MS = 10_000;
const DAY_MS = 86_400_000;

let now: number;
let table: SharedTable;
beforeEach(async () => {
  now = 1_000_000;
  table = (await newTable())();
});

function instances(count: number, over = table): SourceLimits[] {
  const source = { name: 'test', title: 'The Provider', limits: { requestsPerSecond: 10 } };
  return Array.from({ length: count }, () => new SourceLimits(source, over, () => now));
}

/** Requests for as many coins, each of which fails. */
async function failing(pause: SourceLimits | undefined, paths: number) {
  for (let n = 0; n < paths; n += 1) await pause?.noteTrouble(`/tickers/coin-${n}`);
}

async function mayAsk(all: readonly SourceLimits[]): Promise<number> {
  const answers = await Promise.allSettled(all.map((pause) => pause.check()));
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

describe('the pause after failures', () => {
  it('holds nobody back after failures of two paths, and everybody after three', async () => {
    const all = instances(10);
    await failing(all[0], 2);
    expect(await mayAsk(all)).toBe(10);
    now += 5_000;
    await failing(all[0], 3);
    expect(await mayAsk(all)).toBe(0);
    await expect(all[5]?.check()).rejects.toMatchObject({
      statusCode: 502,
      message: expect.stringMatching(
        /^The Provider does not answer at the moment; it is tried again in \d+ s$/,
      ),
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
  });

  it('does not come from one path, however often it fails, nor from failures long ago', async () => {
    const all = instances(10);
    for (let n = 0; n < 50; n += 1) await all[n % 10]?.noteTrouble('/tickers/one-bad-coin');
    await all[0]?.noteTrouble('/tickers/another');
    now += 60_001;
    await all[0]?.noteTrouble('/tickers/a-third');
    expect(await mayAsk(all)).toBe(10);
  });

  it('lets one try after 10 to 30 s, goes on if that one fails too, and ends when one is answered', async () => {
    const all = instances(10);
    await failing(all[0], 3);
    for (const failed of [1, 0]) {
      now += SHORTEST_MS - 1;
      expect(await mayAsk(all)).toBe(0);
      now += LONGEST_MS - SHORTEST_MS + 1;
      expect(await mayAsk(all)).toBe(1);
      await failing(all[3], failed);
    }
    await all[0]?.noteSuccess(now);
    now += 5_001;
    expect(await mayAsk(all)).toBe(10);
  });

  it('is over at another moment each time, so that tries do not keep step with the troubles', async () => {
    const ends = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      const [pause] = instances(1);
      await failing(pause, 3);
      const error = await pause?.check().catch((thrown: { headers: Record<string, string> }) => thrown);
      ends.add(Number(error?.headers['retry-after']));
      now += LONGEST_MS;
      await pause?.noteSuccess(now);
    }
    expect(ends.size).toBeGreaterThan(5);
    for (const seconds of ends) {
      expect(seconds).toBeGreaterThanOrEqual(10);
      expect(seconds).toBeLessThanOrEqual(30);
    }
  });

  it('is as long as the longest that was asked for, three days at most, whatever a request under way brings', async () => {
    const [banned, underWay, other] = instances(3);
    await banned?.noteLimit(120_000);
    await expect(other?.check()).rejects.toMatchObject({
      statusCode: 429,
      message: "Rate limit exceeded: the provider's (The Provider); try again in 120 s",
      headers: { 'retry-after': '120' },
    });
    await banned?.noteLimit(10 * DAY_MS);
    await underWay?.noteLimit(0);
    await underWay?.noteLimit(20_000);
    await failing(underWay, 3);

    now += 3 * DAY_MS - 1_000;
    await expect(other?.check()).rejects.toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
    await expect(underWay?.check()).rejects.toMatchObject({ statusCode: 429 });
  });

  it('is not ended by an answer to a request that was sent before it was over', async () => {
    const [banned, late, other] = instances(3);
    const sentAt = now;
    await late?.noteTrouble('/tickers/coin'); // so it has a row to look at
    await banned?.noteLimit(3 * DAY_MS);
    now += 2_000;
    await late?.noteSuccess(sentAt);
    await banned?.noteSuccess(now);
    await expect(other?.check()).rejects.toMatchObject({ statusCode: 429 });

    now += 3 * DAY_MS;
    await other?.check();
    await other?.noteSuccess(now);
    expect(await mayAsk(instances(5))).toBe(5);
  });

  it('outlives the pace that is written to the same row', async () => {
    const limits = { requestsPerSecond: 10 };
    const paced = { name: 'test', title: 'The Provider', isFree: true, limits } as const;
    const [first, second] = [1, 2].map(() => new SourceLimits(paced, table, () => now));
    await first?.noteLimit(3 * DAY_MS);
    await second?.mayStart(10_000);

    await expect(second?.check()).rejects.toMatchObject({ statusCode: 429 });
    const row = await table.get('test#limits');
    expect(Number(row?.expiresAt) * 1000).toBeGreaterThan(now + 3 * DAY_MS);
  });

  it('is known to an instance that was refused, without a look at the table', async () => {
    const [first, second] = instances(2);
    await failing(first, 3);
    expect(second?.known()).toBeUndefined();
    await second?.check().catch(() => {});

    expect(second?.known()).toMatchObject({ statusCode: 502 });
  });

  it('holds nobody back while the table is gone', async () => {
    const gone = hindered(table, async () => {
      throw new Error('connect ECONNREFUSED');
    });
    const [pause] = instances(
      1,
      guardedTable(async () => gone),
    );
    await failing(pause, 5);
    await expect(pause?.check()).resolves.toBeUndefined();
  });
});
