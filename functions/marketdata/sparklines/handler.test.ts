import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { objectNames } from '../../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { encodeWeek } from '../../../shared/marketdata/store/week.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { coinOf, HOUR_MS, MINUTE_MS, NOW, rowOf, useBatchWorld } from '../../../test/batch/world.ts';
import {
  BUCKET,
  exactCandle,
  objectPath,
  putDays,
  putExact,
  putHours,
  putMonth,
  storedCandle,
} from '../../../test/history/stored.ts';
import { commonHeaders, failure } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const STEP_MS = 4 * HOUR_MS;
const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS;
/** The last close before `NOW`, which is 04:12. */
const LAST = TODAY + STEP_MS;
const FIRST = LAST - 41 * STEP_MS;
const GRID = Array.from({ length: 42 }, (_, index) => FIRST + index * STEP_MS);
const NOTHING = GRID.map(() => null);

const world = useBatchWorld();

beforeEach(async () => {
  vi.stubEnv('HISTORY_BUCKET', BUCKET);
  await world().putRegistry(['a', 'b', 'c', 'd'].map((id) => coinOf(id)));
});
afterEach(() => expect(world().asked).toEqual([]));

const served = underTest(route, () => import('./handler.ts'));
async function coldStart(): Promise<void> {
  await served.coldStart();
  world().s3.requests.length = 0;
}
const ask = (query = '') => served.ask({ query });
interface Line {
  readonly id: string;
  readonly prices?: readonly (number | null)[];
  readonly quality?: string;
  readonly source?: string;
  readonly error?: string;
}
const linesOf = async (query = ''): Promise<readonly Line[]> => (await served.dataOf({ query })).coins;

/** An hour that closes at a time of the grid, or at any other. */
const closing = (at: number, close: number, given: Partial<StoredCandle> = {}) =>
  storedCandle(at - HOUR_MS, HOUR_MS, 1, { close, ...given });
/** Hours up to the running day; each closes at the number of hours since the grid's first time. */
const hoursBefore = (to: number) =>
  Array.from({ length: (to - FIRST) / HOUR_MS + 1 }, (_, hour) =>
    closing(FIRST + hour * HOUR_MS, 100 + hour),
  );
const priced = (price: number | null, rank = 1) => ({ price, rank });

/** All hours of a coin, as the roll-up leaves them: those of days that are over in its month, today's with all coins'. */
function putWeek(id: string): void {
  putMonth(world().s3, id, hoursBefore(TODAY));
  const today = [1, 2, 3, 4].map((hour) =>
    closing(TODAY + hour * HOUR_MS, 100 + (TODAY - FIRST) / HOUR_MS + hour),
  );
  putHours(world().s3, TODAY, { [id]: today });
}
const WEEK = GRID.map((_, index) => 100 + 4 * index);

describe('the sparklines', () => {
  it('have the close of every four hours of a week, then the price of the snapshot', async () => {
    putWeek('a');
    world().putSnapshot([rowOf('a', priced(7))]);
    await coldStart();

    expect(await ask()).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'coinpaprika',
        'x-data-quality': 'sampled',
        'x-data-time': new Date(NOW - MINUTE_MS).toISOString(),
        'cache-control': publicFor(600),
      },
      body: {
        success: true,
        data: {
          stepSeconds: 14_400,
          from: new Date(FIRST).toISOString(),
          to: new Date(NOW).toISOString(),
          coins: [{ id: 'a', prices: [...WEEK, 7], quality: 'sampled', source: 'coinpaprika' }],
        },
      },
    });
  });

  it('are those of the first coins by rank, twenty by default', async () => {
    world().putSnapshot(
      Array.from({ length: 101 }, (_, index) => rowOf(`coin-${101 - index}`, priced(1, 101 - index))),
    );
    await coldStart();
    const first = (count: number) => Array.from({ length: count }, (_, index) => `coin-${index + 1}`);
    for (const [query, count] of [
      ['', 20],
      ['limit=1', 1],
      ['limit=100', 100],
    ] as const)
      expect(await linesOf(query)).toEqual(
        first(count).map((id) => expect.objectContaining({ id, prices: [...NOTHING, 1] })),
      );
  });

  it('have null for a missing hour and a missing price', async () => {
    const hours = hoursBefore(TODAY).filter((_, hour) => hour !== 0 && hour !== 8 && hour !== 9);
    putMonth(world().s3, 'a', hours);
    world().putSnapshot([rowOf('a', priced(null))]);
    await coldStart();
    const [line] = await linesOf('ids=a');
    expect(line?.prices).toEqual([null, WEEK[1], null, ...WEEK.slice(3, 41), null, null]);
  });

  it('use stored days for a coin without hours', async () => {
    const midnights = GRID.filter((time) => time % DAY_MS === 0);
    const days = midnights.map((time, index) =>
      exactCandle(time - DAY_MS, DAY_MS, 1, { close: 50 + index, quality: 'derived', source: 'defillama' }),
    );
    putDays(
      world().s3,
      'a',
      days.filter((_, index) => index !== 2),
    );
    putDays(
      world().s3,
      'b',
      [
        storedCandle(TODAY - DAY_MS, DAY_MS, 1, { lastAt: TODAY - 2 * HOUR_MS }),
        storedCandle(TODAY - 2 * DAY_MS, DAY_MS, 1, { close: 9, lastAt: TODAY - DAY_MS - HOUR_MS }),
      ].reverse(),
    );
    world().putSnapshot([rowOf('b', priced(5))]);
    await coldStart();
    const [a, b] = await linesOf('ids=a,b');
    const known = new Map(midnights.map((time, index) => [time, index === 2 ? null : 50 + index]));
    expect(a).toEqual({
      id: 'a',
      prices: [...GRID.map((time) => known.get(time) ?? null), null],
      quality: 'derived',
      source: 'defillama',
    });
    expect(b?.prices?.filter((price) => price !== null)).toEqual([9, 5]);
    expect(b?.prices?.[GRID.indexOf(TODAY - DAY_MS)]).toBe(9);
  });

  it('have the quality of the weakest point, and name all sources', async () => {
    putExact(world().s3, TODAY, { a: [exactCandle(LAST - HOUR_MS, HOUR_MS, 1, { close: 3 })] });
    putHours(world().s3, TODAY, { b: [closing(LAST, 4)], c: [closing(LAST, 5)] });
    world().putSnapshot([rowOf('a', priced(7)), rowOf('b', priced(8)), rowOf('c', priced(9))], {
      disputed: new Set(['c']),
    });
    await coldStart();
    const lines = await linesOf('ids=a,b,c');
    expect(lines.map(({ quality, source }) => [quality, source])).toEqual([
      ['exact', 'coinbase,coinpaprika'],
      ['sampled', 'coinpaprika'],
      ['disputed', 'coinpaprika'],
    ]);
    expect(lines.map(({ prices }) => prices?.slice(-2))).toEqual([
      [3, 7],
      [4, 8],
      [5, 9],
    ]);
    expect((await ask('ids=a,b')).headers).toMatchObject({
      'x-data-quality': 'sampled',
      'x-data-source': 'coinbase,coinpaprika',
    });
    expect((await ask('ids=a,c')).headers).toMatchObject({ 'x-data-quality': 'disputed' });
  });

  it('come in the requested order, repeated ones too, with an error in the place of a missing one', async () => {
    putWeek('a');
    world().putSnapshot([rowOf('b', priced(7))]);
    await coldStart();
    const lines = await linesOf(`ids=${['b', 'no/such', 'a', 'c', 'b'].map(encodeURIComponent).join(',')}`);
    expect(lines).toEqual([
      expect.objectContaining({ id: 'b', prices: [...NOTHING, 7], quality: 'exact' }),
      { id: 'no/such', error: 'Unknown coin id: no/such' },
      expect.objectContaining({ id: 'a', prices: [...WEEK, null], quality: 'sampled' }),
      { id: 'c', error: 'No history of c is available; GET /api/marketdata/ohlcv/c fetches it' },
      expect.objectContaining({ id: 'b', prices: [...NOTHING, 7] }),
    ]);
  });

  it('have the newest closed hour from the snapshot before the day’s object has it', async () => {
    putMonth(world().s3, 'a', hoursBefore(TODAY));
    world().putSnapshot([rowOf('a', priced(7))], {
      hours: new Map([['a', [closing(LAST, 55), closing(LAST + HOUR_MS, 60)]]]),
    });
    await coldStart();
    const [line] = await linesOf();
    expect(line?.prices).toEqual([...WEEK.slice(0, 41), 55, 7]);
  });

  it('read one object for all coins of the week', async () => {
    const closes = new Map(
      GRID.map((time, index) => {
        const price = { price: 100 + 4 * index, time, quality: 'sampled', source: 'coinpaprika' } as const;
        return [time, price];
      }),
    );
    const week = encodeWeek(LAST, [
      ['a', closes],
      ['b', closes],
    ]);
    world().s3.objects.set(objectPath(objectNames.week), week);
    world().putSnapshot([rowOf('a', priced(7)), rowOf('b', priced(8))]);
    await coldStart();
    const lines = await linesOf('ids=a,b');
    expect(lines.map(({ prices }) => prices)).toEqual([
      [...WEEK, 7],
      [...WEEK, 8],
    ]);
    // The week was read at init.
    expect(world().s3.requests.filter((request) => request.includes('/history/'))).toEqual([]);
  });

  it.each(['damaged', 'of another version'])('use hours while the week is %s', async (how) => {
    const week = encodeWeek(LAST, []);
    if (how !== 'damaged') week.writeUInt32LE(9, 8);
    world().s3.objects.set(objectPath(objectNames.week), how === 'damaged' ? Buffer.from('x') : week);
    putWeek('a');
    world().putSnapshot([rowOf('a', priced(7))]);
    await coldStart();
    expect((await linesOf())[0]?.prices).toEqual([...WEEK, 7]);
  });

  it('lack the data of a damaged object, and no other coin’s', async () => {
    putWeek('b');
    putMonth(world().s3, 'a', hoursBefore(TODAY));
    putDays(world().s3, 'a', []);
    for (const name of [objectNames.series('1h', 'a', TODAY), objectNames.series('24h', 'a', TODAY)])
      world().s3.objects.get(objectPath(name))?.fill(1, 40);
    world().putSnapshot([rowOf('a', priced(6)), rowOf('b', priced(7, 2))]);
    await coldStart();
    expect((await linesOf()).map(({ prices }) => prices)).toEqual([
      [...NOTHING, 6],
      [...WEEK, 7],
    ]);
  });

  it('are stale if the store cannot be read, with an error for a coin without a price', async () => {
    // The first ones by rank are at hand from the start.
    const others = Array.from({ length: 20 }, (_, index) => rowOf(`coin-${index}`, priced(1, index + 1)));
    world().putSnapshot([...others, rowOf('a', priced(6, 21))]);
    await coldStart();
    await world().s3.close();
    const [first, a, b] = await linesOf('ids=coin-0,a,b');
    expect(first).toMatchObject({ prices: [...NOTHING, 1], quality: 'exact' });
    expect(a).toMatchObject({ prices: [...NOTHING, 6], quality: 'stale' });
    expect(b).toEqual({ id: 'b', error: 'The history of b cannot be read now; try again soon' });
    expect((await ask('ids=coin-0,a')).headers).toMatchObject({
      'x-data-quality': 'stale',
      'cache-control': publicFor(0),
    });
  });

  it('take ids or a limit, not both', async () => {
    world().putSnapshot([rowOf('a')]);
    await coldStart();
    expect(await ask('ids=a&limit=2')).toMatchObject({
      status: 400,
      body: failure('Invalid parameter limit: given together with ids; allowed: one of the two'),
    });
  });
});
