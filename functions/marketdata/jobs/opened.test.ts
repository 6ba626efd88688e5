import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProviderClient } from '../../../shared/marketdata/provider.ts';
import { openSnapshot } from '../../../shared/marketdata/store/snapshot.ts';
import { encodeTail, openTail, type TailRow } from '../../../shared/marketdata/store/tail.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/platform/time.ts';
import { NOW, snapshotOf, tickerOf } from '../../../test/snapshot/tickers.ts';
import { fetchedPrice, priceIn } from './opened.ts';

const rowOf = (id: string, price: number, at = NOW - MINUTE_MS): TailRow => ({
  ...{ id, price, at, takenAt: NOW - MINUTE_MS },
  changes: {} as TailRow['changes'], // unknown ones
});
const tail = openTail(
  encodeTail({
    ...{ takenAt: NOW - MINUTE_MS, intervalSeconds: 600, source: 'defillama' },
    rows: [rowOf('listed', 20), rowOf('unlisted', 30), rowOf('seldom', 40, NOW - 3 * HOUR_MS)],
  }),
);
const listed = [tickerOf('listed', 10), tickerOf('disputed', 5)];
const snapshot = openSnapshot(snapshotOf([], { tickers: listed, disputed: new Set(['disputed']) }));

describe('a price among what a job has read', () => {
  it.each([
    ['the snapshot’s, if the tail has one too', 'listed', HOUR_MS, NOW, 10],
    ['the tail’s, if the snapshot has none', 'unlisted', HOUR_MS, NOW, 30],
    ['the newest, once both are outdated', 'listed', HOUR_MS, NOW + 30 * MINUTE_MS, 10],
    ['none that is disputed', 'disputed', HOUR_MS, NOW, undefined],
    ['none that is too old', 'seldom', HOUR_MS, NOW, undefined],
    ['an old one for a job that can use it', 'seldom', DAY_MS, NOW, 40],
    [
      'none after twelve hours, whatever the job can use',
      'listed',
      2 * DAY_MS,
      NOW + 13 * HOUR_MS,
      undefined,
    ],
    ['none of an unknown coin', 'unknown', DAY_MS, NOW, undefined],
  ])('is %s', (_what, id, maxAge, now, price) => {
    expect(priceIn({ snapshot, tail }, id, maxAge, now)).toBe(price);
  });
});

describe('a price that the provider returns to a job', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
  afterEach(() => vi.useRealTimers());

  /** A client whose provider made its ticker then. */
  const clientOf = (madeAt: number, price: number | null = 7) =>
    ({
      provider: { ticker: () => ({}) },
      fetch: async () => ({ data: { quotes: { USD: { price } } }, source: 'provider', madeAt }),
    }) as unknown as ProviderClient<'ticker'>; // all that is used of it

  it('has its own time, and is none if it is too old or unknown', async () => {
    const madeAt = NOW - HOUR_MS;
    expect(await fetchedPrice(clientOf(madeAt), 'a', DAY_MS)).toEqual({ price: 7, at: madeAt });
    expect(await fetchedPrice(clientOf(NOW - DAY_MS), 'a', DAY_MS)).toBeNull();
    expect(await fetchedPrice(clientOf(madeAt, null), 'a', DAY_MS)).toBeNull();
  });
});
