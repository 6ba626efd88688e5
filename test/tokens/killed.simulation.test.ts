import { describe, expect, it, vi } from 'vitest';
import { openTail } from '../../shared/marketdata/store/tail.ts';
import { runUntilKilled } from '../history/deadly-s3.ts';
import { addressOf, REFERENCES, TAIL, useTokenWorld } from './world.ts';

const NOTE = '/bucket/history/past.v1';
const DAILY = '/bucket/history/coins.v1/~a-a';
const ALL = [TAIL, REFERENCES, DAILY, NOTE];

const world = useTokenWorld(['a-a', 'b-b']);

describe('the jobs of tokens and their past, killed at a put', () => {
  it.each([
    ['the samples', 'tokens', 1, []],
    ['the tail', 'tokens', 2, [TAIL]],
    ['the past of a coin', 'past', 1, [TAIL, REFERENCES, DAILY]],
  ])('leave whole objects after %s, and the next runs do the rest', async (_what, job, put, stored) => {
    const one = world();
    vi.setSystemTime(vi.getRealSystemTime()); // the process has its own clock
    one.putContracts({ ethereum: { [addressOf(1)]: 'a-a' } });
    one.owned = { 'a-a': 2 };
    one.told = { [`ethereum:${addressOf(1)}`]: { price: 2, days: 3 } };
    if (job === 'past') await one.runAt(Date.now());
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const after = await runUntilKilled(
      { put, isPut: true },
      { job, objects: new Map(one.s3.objects), env, execArgv: [] },
    );

    expect(ALL.filter((path) => after.has(path))).toEqual(stored);
    const tail = after.get(TAIL);
    if (tail) expect([...openTail(tail).rows()]).toMatchObject([{ id: 'a-a', price: 2 }]);
    for (const [path, bytes] of after) one.s3.objects.set(path, bytes);
    await one.runAt(vi.getRealSystemTime() + 600_000);
    await one.runPast();
    expect(Object.keys(one.tail())).toEqual(['a-a']);
    expect(ALL.filter((path) => !one.s3.objects.has(path))).toEqual([]);
    expect(one.source.requests.filter((path) => path.startsWith('/chart/')).length).toBe(1);
  });
});
