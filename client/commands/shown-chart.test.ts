import { describe, expect, test } from 'vitest';
import { candles, tickerOf } from '../../test/client/stub-api.ts';
import { ranges } from './parse/table.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles } from './result.ts';
import { comparedSeries, percentSeries, shownChart, styleOf } from './shown-chart.ts';

const DAY_MS = 86_400_000;
const JAN_1 = Date.UTC(2026, 0, 1);

const told = (changes: Partial<Provenance> = {}): Provenance => ({
  sources: ['coinbase'],
  isSimulated: false,
  quality: 'exact',
  madeAt: JAN_1 + 1.2 * DAY_MS,
  outdatedMs: undefined,
  freshUntil: 2000,
  ...changes,
});
const command = {
  name: 'chart',
  symbol: 'BTC',
  compare: [],
  protocol: 'coinpaprika',
  style: undefined,
  range: { limit: 2 },
} as const;
const coin = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true };
/** Two days, of which the second runs. */
const data = {
  coinId: 'btc-bitcoin',
  interval: '24h',
  quote: 'usd',
  count: 2,
  data: candles([
    [100, 110, 95, 105],
    [105, 120, 104, 118],
  ]),
};
const chart = { kind: 'chart', command, coin, data, compared: [], provenance: told() } as const;
const tickerAt = (madeAt: number, price: number | null = 130, changes: Partial<Provenance> = {}) => ({
  data: tickerOf({}, { price }),
  provenance: told({ madeAt, sources: ['coinpaprika'], freshUntil: 1000, ...changes }),
});
const noon = JAN_1 + 1.5 * DAY_MS;

test('the candle that is running ends at the ticker’s price, which is the chart’s price, of the ticker’s time', () => {
  const shown = shownChart({ ...chart, ticker: tickerAt(noon) });
  expect(shown).toMatchObject({ price: 130, change: expect.closeTo(30) });
  expect(shown.series[1]).toMatchObject({ open: 105, high: 130, low: 104, close: 130 });
  expect(shown.provenance).toMatchObject({
    madeAt: noon,
    sources: ['coinbase', 'coinpaprika'],
    freshUntil: 1000,
  });
  expect(shownChart({ ...chart, ticker: tickerAt(noon, 90) }).series[1]).toMatchObject({
    low: 90,
    close: 90,
  });
});

test.each([
  ['1d', '24h', 2.314],
  ['7d', '7d', -1],
  ['1m', '30d', 4],
  ['1y', '1y', 60],
] as const)('the change of %s is the ticker’s of %s, as lists have it', (range, period, change) => {
  const named = { ...chart, command: { ...command, range: ranges[range] }, ticker: tickerAt(noon) };
  expect(shownChart(named)).toMatchObject({ period, change, isTickersChange: true });
  expect(shownChart({ ...named, ticker: undefined })).toMatchObject({
    period: '48h',
    isTickersChange: false,
  });
});

test('the change of three months, which no ticker has, is that of the candles', () => {
  const shown = shownChart({
    ...chart,
    command: { ...command, range: ranges['3m'] },
    ticker: tickerAt(noon),
  });
  expect(shown).toMatchObject({ period: '48h', change: expect.closeTo(30), isTickersChange: false });
});

test('in another currency both are converted once', () => {
  const conversion = { currency: 'EUR', rate: 0.5, day: '2026-01-02', provenance: told() };
  const shown = shownChart({ ...chart, ticker: tickerAt(noon), conversion });
  expect(shown).toMatchObject({ price: 65, change: expect.closeTo(30), quote: 'EUR' });
  expect(shown.series[1]?.close).toBe(65);
});

test('a price of after the last candle is the chart’s price, and changes no candle', () => {
  const shown = shownChart({ ...chart, ticker: tickerAt(JAN_1 + 2.5 * DAY_MS) });
  expect([shown.price, shown.series[1]?.close]).toEqual([130, 118]);
});

test.each([
  [
    'of a time that is over',
    { ...chart, command: { ...command, range: { end: '2026-01-03' } } },
    JAN_1 + 3 * DAY_MS,
  ],
  ['whose ticker is older than its last candle', chart, JAN_1 + 0.5 * DAY_MS],
  ['in bitcoin', { ...chart, data: { ...data, quote: 'btc' } }, noon],
])('a chart %s keeps its own prices', (_which, one, madeAt) => {
  const shown = shownChart({ ...one, ticker: tickerAt(madeAt) });
  expect([shown.price, shown.series[1]?.close, shown.provenance]).toEqual([118, 118, told()]);
});

test('so does one whose ticker has no price, or is missing', () => {
  expect(shownChart({ ...chart, ticker: tickerAt(noon, null) }).price).toBe(118);
  expect(shownChart(chart).price).toBe(118);
  expect(shownChart({ ...chart, data: { ...data, data: [] }, ticker: tickerAt(noon) })).toMatchObject({
    series: [],
    price: undefined,
    change: null,
  });
});

test('a doubtful price makes the whole chart doubtful', () => {
  const ticker = tickerAt(noon, 130, { quality: 'disputed', isSimulated: true, outdatedMs: 5 });
  expect(shownChart({ ...chart, ticker }).provenance).toMatchObject({
    quality: 'disputed',
    isSimulated: true,
    outdatedMs: 5,
  });
});

test('derived candles are a line unless candles were asked for', () => {
  const derived = { ...chart, provenance: told({ quality: 'derived' }) };
  expect(styleOf(chart)).toBe('candles');
  expect(styleOf(derived)).toBe('line');
  expect(styleOf({ ...derived, command: { ...command, style: 'candles' } })).toBe('candles');
  expect(styleOf({ ...chart, compared: [chart] })).toBe('line');
});

const DAY = 86_400;
const START = Date.UTC(2026, 0, 1) / 1000;

const provenance: Provenance = {
  sources: ['coinbase'],
  isSimulated: false,
  quality: 'exact',
  madeAt: (START + 2.5 * DAY) * 1000,
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
      provenance: { ...provenance, madeAt: (START + 1.5 * DAY) * 1000 },
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
      [{ time: START + 2 * DAY, percent: expect.closeTo(36.36) }],
      [{ time: START + 2 * DAY, percent: 100 }],
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
    const madeAt = (START + 1.5 * DAY) * 1000;
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
