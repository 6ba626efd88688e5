import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOW, TODAY } from './asking.testing.ts';
import {
  type Asset,
  createMarket,
  DAY_MS,
  defaultCoins,
  HOUR_MS,
  priceAt,
  type SimulatedCoin,
  volumeBetween,
} from './market.ts';
import { marketsOf, quoteCoins, type SimulatedMarket } from './markets.ts';
import { exchangeNames } from './protocols.ts';
import { barsBetween, tapeOf } from './tape.ts';

/** The default coins have no lesser namesake: this one has Solana's symbol, at a tenth of a dollar. */
const lesserNamesake: SimulatedCoin = {
  ...{ id: 'sol-sollong', name: 'Sollong', symbol: 'SOL', rank: 900, type: 'token' },
  ...{ priceUsd: 0.1, circulatingSupply: 5_000_000_000 },
};
const world = createMarket([...defaultCoins, lesserNamesake], 1);

function listed() {
  const options = { listed: 100, hasTraps: true, now: () => NOW };
  return exchangeNames.flatMap((exchange) =>
    marketsOf(exchange, world, options).map((one) => ({ exchange, market: one })),
  );
}
function assetOf(id: string | undefined): Asset {
  const asset = world.asset(id ?? '');
  if (!asset) throw new Error(`There is no ${id}`);
  return asset;
}
const dollars = ({ quote, tape }: SimulatedMarket) => {
  const unit = quoteCoins[quote];
  return tape.priceAt(NOW) * (unit ? priceAt(assetOf(unit), NOW) : 1);
};

describe('the markets of the exchanges', () => {
  test('have the price of their coin, and together a part of its trade', () => {
    const volumes = new Map<string, number>();
    for (const { market } of listed()) {
      if (market.coinId === null || market.state !== 'open') continue;
      const price = priceAt(assetOf(market.coinId), NOW);
      if (market.trap !== 'silent') expect(dollars(market) / price).toBeCloseTo(1, 2);
      const volume = market.tape.day(NOW).volume * dollars(market);
      volumes.set(market.coinId, (volumes.get(market.coinId) ?? 0) + volume);
    }
    for (const [id, volume] of volumes)
      expect(volume).toBeLessThan(0.6 * volumeBetween(assetOf(id), NOW - DAY_MS, NOW));
  });
});

test('each kind of trap is among them', () => {
  expect(new Set(listed().map(({ market }) => market.trap))).toEqual(
    new Set([
      ...[null, 'namesake', 'lesser', 'copy', 'multiplied', 'boastful', 'halted', 'delisted', 'silent'],
    ]),
  );
  for (const exchange of exchangeNames) {
    const states = listed().flatMap((each) => (each.exchange === exchange ? [each.market.state] : []));
    expect(states).toContain('halted');
  }
});

describe('a tape with a third of all hours silent', () => {
  const silence = 0.3;
  const bitcoin = assetOf('btc-bitcoin');
  const tape = tapeOf({
    ...{ asset: bitcoin, quote: undefined, seed: 5, multiple: 1, share: 0.1, decimals: 2, silence },
    endMs: () => Infinity,
  });

  test('makes days of their hours, and hours of their minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom([DAY_MS, HOUR_MS], [HOUR_MS, 300_000]),
        (back, [longMs = 0, shortMs = 0]) => {
          const fromMs = TODAY - back * longMs;
          const whole = tape.bar(fromMs, longMs, NOW);
          const range = { fromMs, toMs: fromMs + longMs - 1, intervalMs: shortMs, nowMs: NOW };
          const parts = barsBetween(tape, range, false);
          expect([whole?.open, whole?.close]).toEqual([parts[0]?.open, parts.at(-1)?.close]);
          if (!whole) return;
          expect(whole.high).toBe(Math.max(...parts.map(({ high }) => high)));
          expect(whole.low).toBe(Math.min(...parts.map(({ low }) => low)));
          const traded = parts.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0);
          expect(traded / whole.quoteVolume).toBeCloseTo(1, 6);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('has a running bar that closes at the price of the last trade', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 * DAY_MS }), (back) => {
        const nowMs = NOW - back;
        const bar = tape.bar(Math.floor(nowMs / DAY_MS) * DAY_MS, DAY_MS, nowMs);
        if (bar) expect(bar.close).toBe(tape.priceAt(nowMs));
      }),
    );
  });
});
