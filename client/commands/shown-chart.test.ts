import { expect, test } from 'vitest';
import { candles, tickerOf } from '../../test/client/stub-api.ts';
import { ranges } from './parse/table.ts';
import type { Provenance } from './provenance.ts';
import { shownChart, styleOf } from './shown-chart.ts';

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
