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
  const source = {
    name: 'test',
    title: 'The Provider',
    limits: { requestsPerSecond: 10, per: 'instance' },
  } as const;
  return Array.from({ length: count }, () => new SourceLimits(source, over, () => now));
}

/** Failing requests for as many coins. */
async function failing(pause: SourceLimits | undefined, paths: number) {
  for (let n = 0; n < paths; n += 1) await pause?.noteTrouble(`/tickers/coin-${n}`);
}

async function passing(all: readonly SourceLimits[]): Promise<number> {
  const answers = await Promise.allSettled(all.map((pause) => pause.check()));
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

describe('the pause after failures', () => {
  it('begins for all instances after failures of three paths, not of two', async () => {
    const all = instances(10);
    await failing(all[0], 2);
    expect(await passing(all)).toBe(10);
    now += 5_000;
    await failing(all[0], 3);
    expect(await passing(all)).toBe(0);
    await expect(all[5]?.check()).rejects.toMatchObject({
      statusCode: 502,
      message: expect.stringMatching(
        /^The Provider does not answer at the moment; it is tried again in \d+ s$/,
      ),
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
  });

  it('does not begin for one path, however often it fails, nor for old failures', async () => {
    const all = instances(10);
    for (let n = 0; n < 50; n += 1) await all[n % 10]?.noteTrouble('/tickers/one-bad-coin');
    await all[0]?.noteTrouble('/tickers/another');
    now += 60_001;
    await all[0]?.noteTrouble('/tickers/a-third');
    expect(await passing(all)).toBe(10);
  });

  it('lets one instance try after 10 to 30 s, continues if it fails too, and ends with a success', async () => {
    const all = instances(10);
    await failing(all[0], 3);
    for (const failed of [1, 0]) {
      now += SHORTEST_MS - 1;
      expect(await passing(all)).toBe(0);
      now += LONGEST_MS - SHORTEST_MS + 1;
      expect(await passing(all)).toBe(1);
      await failing(all[3], failed);
    }
    await all[0]?.noteSuccess(now);
    now += 5_001;
    expect(await passing(all)).toBe(10);
  });

  it('is the longest that the source demanded, three days at most, whatever earlier requests return', async () => {
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

  it('is not ended by a success of a request sent before its end', async () => {
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
    expect(await passing(instances(5))).toBe(5);
  });

  it('survives the pace in the same row', async () => {
    const limits = { requestsPerSecond: 10, per: 'service' } as const;
    const paced = { name: 'test', title: 'The Provider', limits } as const;
    const [first, second] = [1, 2].map(() => new SourceLimits(paced, table, () => now));
    await first?.noteLimit(3 * DAY_MS);
    await second?.mayStart(10_000);

    await expect(second?.check()).rejects.toMatchObject({ statusCode: 429 });
    const row = await table.get('test#limits');
    expect(Number(row?.expiresAt) * 1000).toBeGreaterThan(now + 3 * DAY_MS);
  });

  it('stops no instance while the table is gone', async () => {
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
