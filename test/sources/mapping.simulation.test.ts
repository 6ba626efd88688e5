import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type Mapping, mapMarkets } from '../../functions/marketdata/jobs/markets/state.ts';
import { isLong } from '../setup/long.ts';
import { isLying, momentOf, SNAPSHOTS, truth, type Universe, universe } from './universe.ts';

const UNIVERSES = isLong ? 10_000 : 200;
const MISSES = 3;

/** Descriptions of everything wrong in a universe. */
function wrongIn(world: Universe): string[] {
  const coins = truth(world);
  const wrong: string[] = [];
  let mapping: Mapping | undefined;
  let backed: readonly string[] = [];
  for (let n = 0; n < SNAPSHOTS; n++) {
    const { run, now, clean } = momentOf(world, n);
    for (const again of world.twice.includes(n) ? [0, 1] : [0])
      mapping = mapMarkets(mapping?.state, { ...run, now: now + again * 1000 });
    const mapped = new Map(
      mapping?.state.exchanges.flatMap(({ exchange, markets }) =>
        markets.flatMap((one) => (one.mapped ? [[`${exchange} ${one.market}`, one.mapped.coin]] : [])),
      ),
    );
    for (const [market, coin] of mapped)
      if (coin !== coins.get(market)) wrong.push(`${n}: ${market} is ${coin}, not ${coins.get(market)}`);
    for (const [market, coin] of coins)
      if (coin && clean.has(market) && !mapped.has(market)) wrong.push(`${n}: ${market} is not found`);
    for (const market of backed)
      if (isLying(world, numberOf(market), n) && !mapped.has(market))
        wrong.push(`${n}: ${market} is lost by a lie`);
    for (const market of mapped.keys())
      if (isLying(world, numberOf(market), n - MISSES + 1) && !backed.includes(market))
        wrong.push(`${n}: ${market} is kept against its ticker`);
    backed = backedIn(mapped);
    for (const markets of mapping?.coins.values() ?? []) {
      const exchanges = markets.map(({ exchange }) => exchange);
      if (new Set(exchanges).size < exchanges.length) wrong.push(`${n}: two markets of ${exchanges}`);
    }
  }
  return wrong;
}

function numberOf(market: string): number {
  return Number(/ S(\d)-/.exec(market)?.[1]);
}

/** The markets of coins that have one at another exchange too: whatever the ticker says, they keep it. */
function backedIn(mapped: ReadonlyMap<string, string>): string[] {
  const exchangeOf = (market: string) => market.slice(0, market.indexOf(' '));
  const isLater = (market: string) => Number.isFinite(numberOf(market));
  return [...mapped].flatMap(([market, coin]) => {
    const isBacked = [...mapped].some(
      ([other, same]) => same === coin && exchangeOf(other) !== exchangeOf(market),
    );
    return isBacked && isLater(market) ? [market] : [];
  });
}

describe('the map of random universes', () => {
  it('never has a wrong coin, finds every stated one at once, and loses none to a lie that two exchanges contradict', {
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
