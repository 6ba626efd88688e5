import fc from 'fast-check';
import { describe, it } from 'vitest';
import { mappedIn, nextState } from '../../functions/marketdata/jobs/markets/state.ts';
import type { SourceState } from '../../shared/marketdata/sources/source-map.ts';
import { isLong } from '../setup/long.ts';
import { isLying, momentOf, SNAPSHOTS, truth, type Universe, universe } from './universe.ts';

const UNIVERSES = isLong ? 10_000 : 200;
/** An hour in snapshots. */
const AN_HOUR = 6;

/** Descriptions of everything wrong in a universe. */
function wrongIn(world: Universe): string[] {
  const coins = truth(world);
  const wrong: string[] = [];
  const inARow = new Map<string, number>();
  let state: SourceState | undefined;
  let knownFrom: ReadonlyMap<string, number> = new Map();
  let backed: readonly string[] = [];
  for (let n = 0; n < SNAPSHOTS; n++) {
    const { now, snapshot, fetched, clean } = momentOf(world, n);
    for (const again of world.twice.includes(n) ? [0, 1] : [0]) {
      state = nextState(state, { fetched, snapshot, now: now + again * 1000 });
    }
    const mapped = new Map(
      state?.exchanges.flatMap(({ exchange, markets }) =>
        markets.flatMap((one) => (one.mapped ? [[`${exchange} ${one.market}`, one.mapped.coin]] : [])),
      ),
    );
    for (const [market, coin] of mapped) {
      const isRight = coin === coins.get(market) || isCopyOfLiar(world, market, coin, n);
      if (!isRight) wrong.push(`${n}: ${market} is ${coin}, not ${coins.get(market)}`);
    }
    for (const market of backed) {
      const isLost = isLying(world, numberOf(market), n) && mapped.get(market) !== coins.get(market);
      if (isLost) wrong.push(`${n}: ${market} is lost by a lie`);
    }
    const known = new Set(mapped.values());
    knownFrom = new Map(Array.from(known, (coin) => [coin, knownFrom.get(coin) ?? n]));
    const wasOld = (market: string, coin: string) => {
      const from = world.assets[numberOf(market)]?.lie?.from ?? 0;
      return from - (knownFrom.get(coin) ?? n) >= AN_HOUR;
    };
    backed = backedIn(new Map([...mapped].filter(([market, coin]) => wasOld(market, coin))), coins);
    for (const [market, coin] of coins) {
      const before = inARow.get(market) ?? 0;
      inARow.set(market, clean.has(market) ? before + 1 : 0);
      if (coin && isDue(world, market, n, inARow.get(market) ?? 0) && !mapped.has(market))
        wrong.push(`${n}: ${market} is not found`);
    }
    for (const markets of state ? mappedIn(state, { fetched, now }).coins.values() : []) {
      const exchanges = markets.map(({ exchange }) => exchange);
      if (new Set(exchanges).size < exchanges.length) wrong.push(`${n}: two markets of ${exchanges}`);
    }
  }
  return wrong;
}

function numberOf(market: string): number {
  return Number(/ S(\d)-/.exec(market)?.[1]);
}

/**
 * While a ticker lies, its coin is not known from another one, and the copies say what the market says: a market that no
 * other exchange backs may become theirs.
 */
function isCopyOfLiar(world: Universe, market: string, coin: string, n: number): boolean {
  const number = numberOf(market);
  return isLying(world, number, n) && !market.includes('1000S') && /^copy\d-/.test(coin);
}

/** The markets of right coins that have one at another exchange too: whatever the ticker says, they keep it. */
function backedIn(
  mapped: ReadonlyMap<string, string>,
  coins: ReadonlyMap<string, string | undefined>,
): string[] {
  const right = [...mapped].filter(([market, coin]) => coin === coins.get(market));
  const exchangeOf = (market: string) => market.slice(0, market.indexOf(' '));
  return right.flatMap(([market, coin]) => {
    const isBacked = right.some(([other, same]) => same === coin && exchangeOf(other) !== exchangeOf(market));
    return isBacked ? [market] : [];
  });
}

/**
 * True after three snapshots, unless a better-ranked coin agrees by chance in one of them; after six more for each such
 * coin that is always nearer than 5 %.
 */
function isDue({ assets }: Universe, market: string, n: number, inARow: number): boolean {
  const better = (assets[numberOf(market)]?.impostors ?? []).filter(
    ({ rank, isActive }) => rank === 'better' && isActive,
  );
  const near = better.filter(({ factor }) => Math.abs(factor - 1) < 0.06).length;
  return (
    inARow >= 3 + 6 * near &&
    !better.some(({ coincidences }) => coincidences.some((at) => at > n - 3 && at <= n))
  );
}

describe('the map of random universes', () => {
  it('never has a wrong coin, finds every right one within three snapshots, and loses none to a lie that two exchanges contradict', {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(universe, (world) => {
        const wrong = wrongIn(world);
        if (wrong.length > 0) throw new Error(wrong.join('; '));
      }),
      { numRuns: UNIVERSES },
    );
  });
});
