import { describe, expect, test } from 'vitest';
import { candles, tickerOf } from '../../test/client/stub-api.ts';
import { ranges } from './parse/table.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles } from './result.ts';
import { comparedSeries, shownChart, styleOf } from './shown-chart.ts';

const DAY_MS = 86_400_000;
const JAN_1 = Date.UTC(2026, 0, 1);

const provenanceOf = (changes: Partial<Provenance> = {}): Provenance => ({
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
/** Two days; the second one runs. */
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
const chart = { kind: 'chart', command, coin, data, compared: [], provenance: provenanceOf() } as const;
const tickerAt = (madeAt: number, price: number | null = 130, changes: Partial<Provenance> = {}) => ({
  data: tickerOf({}, { price }),
  provenance: provenanceOf({ madeAt, sources: ['coinpaprika'], freshUntil: 1000, ...changes }),
});
const noon = JAN_1 + 1.5 * DAY_MS;

test('the running candle ends at the ticker’s price, which is the chart’s price and has the ticker’s time', () => {
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

describe('in another currency', () => {
  const conversion = {
    currency: 'EUR',
    rate: 0.5,
    digits: 17,
    day: '2026-01-02',
    provenance: provenanceOf(),
  };
  const inEuros = { ...chart, data: { ...data, quote: 'eur' }, conversion };

  test('candles stay as they are, and the running one ends at the ticker’s price at the current rate', () => {
    const shown = shownChart({ ...inEuros, ticker: tickerAt(noon, 236) });
    expect(shown.series).toMatchObject([
      { open: 100, high: 110, low: 95, close: 105 },
      { open: 105, high: 120, low: 104, close: 118 },
    ]);
    expect(shown).toMatchObject({ price: 118, change: expect.closeTo(18), quote: 'eur', isCurrent: true });
  });

  test('the change is that of the shown prices, not the ticker’s in dollars', () => {
    const month = { ...inEuros, command: { ...command, range: ranges['1m'] }, ticker: tickerAt(noon, 236) };
    expect(shownChart(month)).toMatchObject({
      change: expect.closeTo(18),
      period: '48h',
      isTickersChange: false,
    });
  });

  test.each([
    ['no conversion is known', undefined],
    ['the conversion is to another one', { ...conversion, currency: 'JPY' }],
  ])('a price in dollars is not mixed with it: %s', (_why, other) => {
    const shown = shownChart({ ...inEuros, conversion: other, ticker: tickerAt(noon, 236) });
    expect([shown.price, shown.series[1]?.close, shown.isCurrent]).toEqual([118, 118, false]);
  });
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
  expect([shown.price, shown.series[1]?.close, shown.provenance]).toEqual([118, 118, provenanceOf()]);
});

test('a doubtful price makes the whole chart doubtful', () => {
  const ticker = tickerAt(noon, 130, { quality: 'disputed', isSimulated: true, outdatedMs: 5 });
  expect(shownChart({ ...chart, ticker }).provenance).toMatchObject({
    quality: 'disputed',
    isSimulated: true,
    outdatedMs: 5,
  });
});

test('derived candles are a line unless candles were requested', () => {
  const derived = { ...chart, provenance: provenanceOf({ quality: 'derived' }) };
  expect(styleOf(chart)).toBe('candles');
  expect(styleOf(derived)).toBe('line');
  expect(styleOf({ ...derived, command: { ...command, style: 'candles' } })).toBe('candles');
  expect(styleOf({ ...chart, compared: [chart] })).toBe('line');
});

const START = JAN_1 / 1000;
const DAY = DAY_MS / 1000;

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
    provenance: provenanceOf(),
  };
}

function chartOf(own: CoinCandles, ...compared: CoinCandles[]): ChartResult {
  const compare = compared.map(({ coin }) => coin.id);
  return { kind: 'chart', command: { ...command, symbol: own.coin.id, compare }, ...own, compared };
}

const percents = (result: ChartResult) =>
  comparedSeries(result).map(({ coin, series }) => [coin.symbol, ...series.map(({ percent }) => percent)]);

describe('coins that are compared', () => {
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
});
