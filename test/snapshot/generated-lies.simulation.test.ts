/** Hundreds of generated lies, each of one coin in a list: none passes as exact, and none is in a total or a candle. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCandles } from '../../shared/marketdata/store/candle-files.ts';
import { readSeries } from '../../shared/marketdata/store/candle-rows.ts';
import type { Snapshot } from '../../shared/marketdata/store/snapshot.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { INTERVAL_MS, publishedIn, type Row, rowOf, runList, type Truth, truthOf, withUsd } from './lists.ts';
import { startTwoSides, type TwoSides } from './two-sides.ts';

const START = Date.UTC(2026, 10, 1, 12, 2);
const COINS = 1_000;
/** The first lie is told in this run. */
const FIRST = 3;
const RUNS = 10;

type Change = (figure: number) => number | null;
const kinds: Readonly<Record<string, Change>> = {
  'a thousand times': (figure) => figure * 1000,
  'thirty times': (figure) => figure * 30,
  'a thirtieth of': (figure) => figure / 30,
  'a thousandth of': (figure) => figure / 1000,
  'the negative of': (figure) => -figure,
  'zero for': () => 0,
  'nothing for': () => null,
};

type Lie = (row: Row, change: Change) => Row;
const usdLie =
  (name: string): Lie =>
  (row, change) =>
    withUsd(row, { [name]: change(Number(row.quotes.USD[name])) });
const supplyLie =
  (...names: ('circulating_supply' | 'total_supply' | 'max_supply')[]): Lie =>
  (row, change) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, change(Number(row[name]))])),
  });

/** The price with all that follows from it, as a provider's bad tick has them. */
const consistentPrice: Lie = (row, change) => {
  const { price, market_cap, percent_change_24h } = row.quotes.USD;
  const lie = change(Number(price));
  const factor = (lie ?? 0) / Number(price);
  const changed = (1 + Number(percent_change_24h) / 100) * factor * 100 - 100;
  return withUsd(row, { price: lie, market_cap: Number(market_cap) * factor, percent_change_24h: changed });
};
const consistentSupply: Lie = (row, change) => {
  const lied = supplyLie('circulating_supply', 'total_supply', 'max_supply')(row, change);
  const cap =
    lied.circulating_supply === null ? null : lied.circulating_supply * Number(row.quotes.USD.price);
  return withUsd(lied, { market_cap: cap });
};

const fields: Readonly<Record<string, Lie>> = {
  'the price': usdLie('price'),
  'the price, and all that follows from it': consistentPrice,
  'the circulating supply': supplyLie('circulating_supply'),
  'the total supply': supplyLie('total_supply'),
  'all supplies, and the market cap': consistentSupply,
  'the market cap': usdLie('market_cap'),
  'the volume': usdLie('volume_24h'),
  'the change of a day': usdLie('percent_change_24h'),
  'the change of a year': usdLie('percent_change_1y'),
  'the peak': usdLie('ath_price'),
  'the rank': (row, change) => ({ ...row, rank: change(row.rank ?? 0) }),
};
const durations = { 'one run': 1, 'three runs': 3, ever: Number.POSITIVE_INFINITY } as const;

interface Liar {
  readonly name: string;
  readonly index: number;
  readonly isPrice: boolean;
  readonly runs: number;
  readonly lie: (row: Row) => Row;
}

/** Each lie once of a coin with markets and once of one without. */
const liars: Liar[] = Object.entries(fields)
  .flatMap(([field, lie]) =>
    Object.entries(kinds).flatMap(([kind, change]) =>
      Object.entries(durations).flatMap(([duration, runs]) =>
        [0, 1].map((odd) => ({
          name: `${kind} ${field}, for ${duration}, ${odd ? 'without' : 'with'} markets`,
          index: 0,
          odd,
          isPrice: field.startsWith('the price'),
          runs,
          lie: (row: Row) => lie(row, change),
        })),
      ),
    ),
  )
  .map(({ odd, ...liar }, place) => ({ ...liar, index: 200 + 2 * Math.floor(place / 2) + odd }));

const isNear = (value: number | null, truth: number, part = 0.26) =>
  value !== null && Math.abs(value / truth - 1) <= part;
const truthAt = (index: number, run: number): Truth => truthOf(index, run);

/** The figures of a row that differ from the truth, by name. */
function falseFigures(snapshot: Snapshot, index: number, run: number): string[] {
  const row = snapshot.ticker(`coin-${index}`);
  if (!row || row.storedAt < snapshot.takenAt || row.quality !== undefined) return [];
  const proper = rowOf(index, truthAt(index, run), 0);
  const { USD } = row.data.quotes;
  const figures: [string, number | null, number][] = [
    ...(['circulating_supply', 'total_supply', 'rank'] as const).map(
      (name): [string, number | null, number] => [name, row.data[name], Number(proper[name])],
    ),
    ...(['price', 'market_cap', 'volume_24h', 'ath_price'] as const).map(
      (name): [string, number | null, number] => [name, USD[name], Number(proper.quotes.USD[name])],
    ),
    // Changes are compared as factors.
    ...(['percent_change_24h', 'percent_change_1y'] as const).map((name): [string, number | null, number] => [
      name,
      USD[name] === null ? null : 1 + USD[name] / 100,
      1 + Number(proper.quotes.USD[name]) / 100,
    ]),
  ];
  return figures.flatMap(([name, value, truth]) => {
    // Within what ten minutes allow, a lie is no different from a move.
    const part = name.startsWith('percent') ? 0.5 : 0.26;
    return value === null || isNear(value, truth, part) ? [] : [name];
  });
}

describe(`${liars.length} lies of single coins`, () => {
  let sides: TwoSides;
  beforeEach(async () => {
    sides = await startTwoSides(START);
  });
  afterEach(() => sides.close());

  /** The runs in which exchanges answer; in the others, nobody speaks for or against a price. */
  async function tell(hasMarkets: (run: number) => boolean) {
    const failures: string[] = [];
    let total: { readonly is: number | null; readonly truth: number }[] = [];
    const { overviewOf } = await import('../../shared/marketdata/serve/overview.ts');
    for (let run = 0; run < RUNS; run += 1) {
      const time = START + run * INTERVAL_MS;
      const truths = Array.from({ length: COINS }, (_, index) => truthAt(index, run));
      const rows = truths.map((truth, index) => rowOf(index, truth, time));
      for (const { index, runs, lie } of liars)
        if (run >= FIRST && run < FIRST + runs) rows[index] = lie(rows[index] as Row);
      const traded = truths.flatMap(({ price, isTraded }, index) =>
        isTraded && hasMarkets(run)
          ? [[`coin-${index}`, [price, price * 1.001, price * 0.999]] as const]
          : [],
      );
      await runList(sides, time, rows, new Map(traded));
      const snapshot = publishedIn(sides);
      for (const { name, index, isPrice, runs } of liars) {
        const isTraded = index % 2 === 0;
        // By then three lists agree; only a market can tell a price from the truth.
        const isKnownBetter = isPrice && isTraded && (hasMarkets(run) || hasMarkets(FIRST));
        const isBelieved = run >= FIRST + 2 && runs > 1 && !isKnownBetter;
        const wrong = isBelieved ? [] : falseFigures(snapshot, index, run);
        if (wrong.length > 0) failures.push(`run ${run}: ${name}: ${wrong.join(', ')}`);
      }
      if (run === FIRST || run === FIRST + 1) {
        const truth = truths.reduce((sum, { price, supply }) => sum + price * supply, 0);
        total = [...total, { is: overviewOf(snapshot).figures.marketCap.usd, truth }];
      }
    }
    return { failures, total };
  }

  /** Hourly candles in which a price lies that was never true. */
  async function falseCandles(): Promise<string[]> {
    const { rollUp } = await import('../../functions/marketdata/jobs/roll-up/roll-up.ts');
    const { historyStore } = await import('../../functions/marketdata/jobs/history-store.ts');
    const now = START + 3 * HOUR_MS;
    await rollUp(historyStore('bucket'), now, () => {});
    const bytes = sides.s3.objects.get('/bucket/history/day-hours.v2/2026-11-01') ?? Buffer.of();
    const day = openCandles(bytes);
    return liars
      .filter(({ isPrice, runs, index }) => isPrice && (Number.isFinite(runs) || index % 2 === 0))
      .flatMap(({ name, index }) => {
        const row = day.rows.content(`coin-${index}`);
        const { candles } = row ? readSeries(row, HOUR_MS, day.sources) : { candles: [] };
        const truth = truthAt(index, 0).price;
        const wrong = candles.filter(({ high, low }) => !isNear(high, truth) || !isNear(low, truth));
        return wrong.map(({ high, low }) => `${name}: ${low} to ${high}, where it is ${truth}`);
      });
  }

  it('are never exact before three lists agree, and prices never where markets know better', async () => {
    const { failures, total } = await tell(() => true);

    expect(failures).toEqual([]);
    for (const { is, truth } of total) expect(Number(is) / truth).toBeCloseTo(1, 2);
    expect(await falseCandles()).toEqual([]);
  }, 120_000);

  it('stay disputed while exchanges are silent, and when they are back', async () => {
    const { failures } = await tell((run) => run < FIRST + 1 || run >= FIRST + 5);

    expect(failures).toEqual([]);
    expect(await falseCandles()).toEqual([]);
  }, 120_000);

  it('told while exchanges are silent are disputed when they are back, and taken out of candles', async () => {
    const { failures } = await tell((run) => run < FIRST || run >= FIRST + 5);

    expect(failures).toEqual([]);
    expect(await falseCandles()).toEqual([]);
  }, 120_000);
});
