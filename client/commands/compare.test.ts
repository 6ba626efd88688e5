import { describe, expect, test } from 'vitest';
import { candles, tickerOf } from '../../test/client/stub-api.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles } from './result.ts';
import { comparedSeries, percentSeries } from './shown-chart.ts';

const DAY = 86_400;
const JAN_1 = Date.UTC(2026, 0, 1) / 1000;

const provenance: Provenance = {
  sources: ['coinbase'],
  isSimulated: false,
  quality: 'exact',
  madeAt: (JAN_1 + 2.5 * DAY) * 1000,
  outdatedMs: undefined,
  freshUntil: 0,
};

/** A coin with these opens and closes on days from the first of January 2026 on. */
function coinWith(symbol: string, rows: readonly (readonly [number, number])[], firstDay = 0): CoinCandles {
  const data = candles(
    rows.map(([open, close]) => [open, Math.max(open, close), Math.min(open, close), close]),
  );
  const moved = data.map((candle) => ({
    ...candle,
    time_open: new Date(Date.parse(candle.time_open) + firstDay * DAY * 1000).toISOString(),
  }));
  return {
    coin: { id: symbol.toLowerCase(), name: symbol, symbol, alternatives: 0, isActive: true },
    data: { coinId: symbol.toLowerCase(), interval: '24h', quote: 'usd', count: rows.length, data: moved },
    provenance,
  };
}

function chartOf(own: CoinCandles, ...compared: CoinCandles[]): ChartResult {
  const command = {
    name: 'chart',
    symbol: own.coin.id,
    compare: compared.map(({ coin }) => coin.id),
    protocol: 'coinpaprika',
    style: undefined,
    range: { limit: 2 },
  } as const;
  return { kind: 'chart', command, ...own, compared };
}

const percents = (result: ChartResult) =>
  comparedSeries(result).map(({ coin, series }) => [coin.symbol, ...series.map(({ percent }) => percent)]);

describe('coins that are compared', () => {
  test('end at the change of their ticker where a list would have it', () => {
    const own = coinWith('BTC', [
      [100, 110],
      [110, 120],
    ]);
    const ticker = {
      data: tickerOf({}, { price: 130, percent_change_30d: 25 }),
      provenance: { ...provenance, madeAt: (JAN_1 + 1.5 * DAY) * 1000 },
    };
    const chart = chartOf({ ...own, ticker }, coinWith('ETH', [[1, 1]]));
    const [first] = comparedSeries({ ...chart, command: { ...chart.command, range: {} } });
    expect(first).toMatchObject({ change: expect.closeTo(25), period: '30d', price: 130 });
    expect(first?.series.map(({ percent }) => percent)).toEqual([0, expect.closeTo(25)]);
  });

  test('each start with 0 % at the price that their first candle opened at', () => {
    const chart = chartOf(
      coinWith('BTC', [
        [100, 110],
        [110, 120],
      ]),
      coinWith('ETH', [
        [2, 2],
        [2, 1],
      ]),
    );
    expect(percents(chart)).toEqual([
      ['BTC', 0, expect.closeTo(20)],
      ['ETH', 0, -50],
    ]);
    expect(comparedSeries(chart)[1]).toMatchObject({ change: -50, price: 1, quote: 'usd' });
  });

  test('begin together where the youngest of them does', () => {
    const chart = chartOf(
      coinWith('OLD', [
        [50, 100],
        [100, 110],
        [110, 150],
      ]),
      coinWith('NEW', [[10, 20]], 2),
    );
    expect(comparedSeries(chart).map(({ series }) => series)).toEqual([
      [{ time: JAN_1 + 2 * DAY, percent: expect.closeTo(36.36) }],
      [{ time: JAN_1 + 2 * DAY, percent: 100 }],
    ]);
  });

  test('end where their own candles do, and have nothing before that or without candles', () => {
    const gone = coinWith('GONE', [[10, 20]]);
    const none = coinWith('NONE', []);
    const late = coinWith('LATE', [[1, 2]], 5);
    expect(percents(chartOf(late, gone, none))).toEqual([['LATE', 100], ['GONE'], ['NONE']]);
    expect(comparedSeries(chartOf(late, gone, none))[1]).toMatchObject({ series: [], change: null });
    expect(comparedSeries(chartOf(none))).toMatchObject([{ series: [], change: null, price: undefined }]);
  });

  test('end at the price of their own ticker if they reach up to now', () => {
    const eth = coinWith('ETH', [
      [2, 2],
      [2, 2],
    ]);
    const madeAt = (JAN_1 + 1.5 * DAY) * 1000;
    const ticker = { data: tickerOf({}, { price: 3 }), provenance: { ...provenance, madeAt } };
    expect(comparedSeries(chartOf(coinWith('BTC', [[1, 1]]), { ...eth, ticker }))[1]).toMatchObject({
      change: 50,
      price: 3,
    });
  });
});

test('a time without a candle has the price before it', () => {
  const candle = { open: 1, high: 2, low: 1, close: 2, volume: null };
  const series = [
    { ...candle, time: 10 },
    { ...candle, time: 30, close: 4 },
  ];
  expect(percentSeries(series, [10, 20, 30, 40])).toEqual([
    { time: 10, percent: 0 },
    { time: 20, percent: 100 },
    { time: 30, percent: 300 },
  ]);
  expect(percentSeries(series, [20, 30])).toEqual([
    { time: 20, percent: 0 },
    { time: 30, percent: 100 },
  ]);
});
