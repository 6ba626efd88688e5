import { beforeEach, describe, expect, it } from 'vitest';
import { FailurePause } from '../../shared/coordination/failure-pause.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { errorCodec } from '../../shared/providers/client/error-codec.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

const outage = new ApiError(502, 'CoinPaprika answered 503');
let now: number;
let table: SharedTable;
beforeEach(async () => {
  now = 1_000_000;
  table = (await newTable())();
});

function instances(count: number, over = table): FailurePause[] {
  const options = { table: over, provider: 'test', errors: errorCodec('CoinPaprika'), now: () => now };
  return Array.from({ length: count }, () => new FailurePause(options));
}

async function failing(pause: FailurePause | undefined, times: number, error: ApiError = outage) {
  for (let n = 0; n < times; n += 1) await pause?.note(error);
}

async function mayAsk(all: readonly FailurePause[]): Promise<number> {
  const answers = await Promise.allSettled(all.map((pause) => pause.check()));
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

describe('the pause after failures', () => {
  it('holds nobody back after two failures, and everybody after three', async () => {
    const all = instances(10);
    await failing(all[0], 2);
    expect(await mayAsk(all)).toBe(10);
    now += 5_000;
    await failing(all[0], 1);
    expect(await mayAsk(all)).toBe(0);
    await expect(all[5]?.check()).rejects.toEqual(outage);
  });

  it('lets one try when it is over, and all when that one was answered', async () => {
    const all = instances(10);
    await failing(all[0], 3);
    now += 15_001;
    expect(await mayAsk(all)).toBe(1);
    await all[0]?.end();
    now += 5_001;
    expect(await mayAsk(all)).toBe(10);
  });

  it('begins anew when that one fails too', async () => {
    const all = instances(10);
    await failing(all[0], 3);
    now += 15_001;
    expect(await mayAsk(all)).toBe(1);
    await failing(all[3], 1);
    now += 14_999;
    expect(await mayAsk(all)).toBe(0);
    now += 2;
    expect(await mayAsk(all)).toBe(1);
  });

  it('keeps to what a 429 says, from the first one on', async () => {
    const [pause, other] = instances(2);
    await failing(pause, 1, ApiError.rateLimited(120));

    await expect(other?.check()).rejects.toMatchObject({
      statusCode: 429,
      headers: { 'retry-after': '120' },
    });
  });

  it('is known to an instance that was refused, without a look at the table', async () => {
    const [first, second] = instances(2);
    await failing(first, 3);
    expect(second?.known()).toBeUndefined();
    await second?.check().catch(() => {});

    expect(second?.known()).toEqual(outage);
  });

  it('does not come from what is not the provider’s fault', async () => {
    const [pause, other] = instances(2);
    await failing(pause, 5, ApiError.unknownCoin('no'));
    await expect(other?.check()).resolves.toBeUndefined();
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
