import { describe, expect, it, vi } from 'vitest';
import { openTail } from '../../shared/marketdata/store/tail.ts';
import { runUntilKilled } from '../history/deadly-s3.ts';
import { addressOf, CONTRACTS, REFERENCES, TAIL, useTokenWorld } from './world.ts';

const NOTE = '/bucket/history/token-history.v1';
const DAILY = '/bucket/history/coins.v1/~a-a';

const world = useTokenWorld(['a-a', 'b-b']);

describe('the tokens job, killed at a put', () => {
  it.each([
    ['the samples', 1, [TAIL, REFERENCES, DAILY, NOTE]],
    ['the tail', 2, [REFERENCES, DAILY, NOTE]],
    ['the past of a coin', 4, [NOTE]],
  ])('leaves whole objects after %s, and the next run does the rest', async (_what, put, missing) => {
    const one = world();
    vi.setSystemTime(vi.getRealSystemTime()); // the process has its own clock
    one.putContracts({ ethereum: { [addressOf(1)]: 'a-a' } });
    one.owned = { 'a-a': 2 };
    one.told = { [`ethereum:${addressOf(1)}`]: { price: 2, days: 3 } };
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const objects = new Map([[CONTRACTS, one.s3.objects.get(CONTRACTS) ?? Buffer.of()]]);
    const after = await runUntilKilled({ put, isPut: true }, { job: 'tokens', objects, env, execArgv: [] });

    for (const path of [TAIL, REFERENCES, DAILY, NOTE]) expect(after.has(path)).toBe(!missing.includes(path));
    const tail = after.get(TAIL);
    if (tail) expect([...openTail(tail).rows()]).toMatchObject([{ id: 'a-a', price: 2 }]);
    for (const [path, bytes] of after) one.s3.objects.set(path, bytes);
    vi.setSystemTime(vi.getRealSystemTime() + 600_000);
    await one.runAt(Date.now());
    expect(Object.keys(one.tail())).toEqual(['a-a']);
    expect([TAIL, REFERENCES, DAILY, NOTE].filter((path) => !one.s3.objects.has(path))).toEqual([]);
    expect(one.source.requests.filter((path) => path.startsWith('/chart/')).length).toBe(1);
  });
});
