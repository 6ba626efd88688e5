import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.ts';
import { errorCodec } from '../providers/coinpaprika/error-codec.ts';
import { ProviderHealth } from './provider-health.ts';
import type { Change, Row, SharedTable, Updated } from './table.ts';

const outage = new ApiError(502, 'CoinPaprika answered 503');
let now = 1_000_000;

/** Just enough of a table for the few expressions of this class. */
function tableOf(): SharedTable {
  let row: Record<string, string | number> | undefined;
  const answer = (applied: boolean): Updated => ({ applied, row: row && ({ ...row } as Row) });
  return {
    get: async () => row && { ...row },
    async update(_key, { update, condition, values = {} }: Change) {
      const [, name = '', value = ''] = /#(\w+) = (:\w+)/.exec(condition ?? '') ?? [];
      if (condition && row?.[name] !== values[value as ':x']) return answer(false);
      if (update.startsWith('REMOVE')) row = {};
      else if (update.includes('#failures =')) {
        row = { ...row, failures: Number(row?.failures ?? 0) + 1, failure: String(values[':failure']) };
      } else row = { ...row, pausedUntil: Number(values[':until']) };
      return answer(true);
    },
  };
}

function instances(count: number): ProviderHealth[] {
  const table = tableOf();
  return Array.from(
    { length: count },
    () => new ProviderHealth({ table, errors: errorCodec, now: () => now }),
  );
}

async function failing(health: ProviderHealth | undefined, times: number, error: ApiError = outage) {
  for (let n = 0; n < times; n += 1) await health?.report(error);
}

async function mayAsk(all: readonly ProviderHealth[]): Promise<number> {
  const answers = await Promise.allSettled(all.map((health) => health.check()));
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

describe('the health that the fleet knows of', () => {
  it('holds nobody back after two failures, and everybody after three', async () => {
    const all = instances(10);
    await failing(all[0], 2);
    expect(await mayAsk(all)).toBe(10);
    now += 5_000;
    await failing(all[0], 1);
    expect(await mayAsk(all)).toBe(0);
    await expect(all[5]?.check()).rejects.toEqual(outage);
  });

  it('lets one try when the pause is over, and all when that one was answered', async () => {
    const all = instances(10);
    await failing(all[0], 3);
    now += 5_001;
    expect(await mayAsk(all)).toBe(1);
    await all[0]?.report(undefined);
    now += 5_001;
    expect(await mayAsk(all)).toBe(10);
  });

  it('pauses for longer each time, up to five minutes', async () => {
    const [health, ...others] = instances(3);
    await failing(health, 20);
    now += 299_000;
    expect(await mayAsk(others)).toBe(0);
    now += 1_001;
    expect(await mayAsk(others)).toBe(1);
  });

  it('keeps to what a 429 says, from the first one on', async () => {
    const [health, other] = instances(2);
    await failing(health, 1, ApiError.rateLimited(120));

    await expect(other?.check()).rejects.toMatchObject({
      statusCode: 429,
      headers: { 'retry-after': '120' },
    });
  });

  it('is not harmed by what is not the provider’s fault', async () => {
    const [health, other] = instances(2);
    await failing(health, 5, ApiError.unknownCoin('no'));
    await expect(other?.check()).resolves.toBeUndefined();
  });
});
