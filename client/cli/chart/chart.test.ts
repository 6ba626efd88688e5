import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLong } from '../../../test/setup/long.ts';
import { plainText } from '../../commands/format/text.ts';
import { displayWidth } from '../../commands/format/width.ts';
import type { ChartResult, ChartStyle } from '../../commands/result.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { type ChartSize, drawChart } from './chart.ts';

const DAY = 86_400;
const FIRST = Date.UTC(2026, 0, 1) / 1000;

const series: SeriesCandle[] = [
  [100, 110, 95, 105],
  [105, 120, 104, 118],
  [118, 119, 100, 101],
  [101, 103, 90, 92],
  [92, 99, 91, 98],
  [98, 98, 98, 98],
  [98, 112, 97, 110],
  [110, 125, 109, 124],
  [124, 124, 111, 112],
  [112, 115, 108, 114],
].map(([open = 0, high = 0, low = 0, close = 0], day) => ({
  time: FIRST + day * DAY,
  open,
  high,
  low,
  close,
  volume: 10 + (day % 4),
}));

function linesOf(candles: readonly SeriesCandle[], style: ChartStyle, size: ChartSize) {
  const data = candles.map(({ time, ...candle }) => {
    const opened = new Date(time * 1000).toISOString();
    return { ...candle, time_open: opened, time_close: opened, market_cap: null };
  });
  const result: ChartResult = {
    kind: 'chart',
    command: { name: 'chart', symbol: 'BTC', compare: [], protocol: 'coinpaprika', style, range: {} },
    coin: { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', alternatives: 0, isActive: true },
    data: { coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: data.length, data },
    provenance: {
      sources: [],
      isSimulated: false,
      quality: 'exact',
      madeAt: undefined,
      outdatedMs: undefined,
      freshUntil: 0,
    },
    compared: [],
  };
  return drawChart(result, size);
}

interface Changes extends Partial<ChartSize> {
  readonly style?: ChartStyle;
}

function chart({ style = 'candles', ...size }: Changes = {}, candles = series): string {
  const lines = linesOf(candles, style, { width: 40, rows: 12, hasColour: true, ...size });
  // A terminal shows no space at the end of a line, and a test that compares it is hard to read.
  return `\n${plainText(lines)}\n`.replace(/ +$/gm, '');
}

describe('candlesticks', () => {
  test('have thin wicks, thick bodies, prices at the right and dates below', () => {
    expect(chart()).toMatchInlineSnapshot(`
      "
                             ██ ██    │
         ╽▄  ╽▄              ██ ██    ┤    120
      ┈┈┈██┈┈██┈┈┈┈┈┈┈┈┈┈╷┈┈┈██┈██┈╽▄┈┤◂114.00
      │  ██  ██          ██  ╿▀ ╵  │  ┤    110
      ╽▄ ██  ██          ██           │
      ██     ╿▀ ██ ╷     ██           ┤    100
      │         ██ ██ ▀▀ ▀▀           │
                ██ ██                 ┤     90
      ▄▄ ▆▆  ▇▇ ██ ▄▄ ▆▆ ▇▇  ██ ▄▄ ▆▆ ┤  13.00
      ██ ██  ██ ██ ██ ██ ██  ██ ██ ██ │
      ┬────────────┬──────────────────┘
      1 Jan        5 Jan
      "
    `);
  });

  test('differ in shape where there is no colour', () => {
    expect(chart({ hasColour: false })).toMatchInlineSnapshot(`
      "
                             ░░ ██    │
         ░░  ▄▄              ░░ ██    ┤    120
      ┈┈┈░░┈┈██┈┈┈┈┈┈┈┈┈┈┈┈┈┈░░┈██┈░░┈┤◂114.00
      ╷  ░░  ██          ░░  ░░ ╿▀ ░░ ┤    110
      │  ░░  ██          ░░  ╵     ╵  │
      ░░ ░░  ██ ╷        ░░           │
      ░░     ▀▀ ██ ░░ ░░ ░░           ┤    100
      │         ██ ░░    ╵            │
                ╿▀ ░░                 ┤     90
      ┬────────────┬──────────────────┘
      1 Jan        5 Jan
      ░ up  █ down
      "
    `);
  });

  test('are merged in a narrow terminal, with a note, and have no prices in a very narrow one', () => {
    expect(chart({ width: 20 })).toMatch(
      /┤◂114\.00\n[\s\S]*\n3 candles in one; a\nwider terminal shows\nmore\n$/,
    );
    expect(chart({ width: 16 })).not.toContain('┤');
  });

  test('are coloured by their direction, and so are their volume and the last price', () => {
    const lines = linesOf(series, 'candles', { width: 40, rows: 12, hasColour: true });
    const tonesOf = (text: string) =>
      new Set(lines.flat().flatMap((part) => (part.text.includes(text) ? [part.tone] : [])));
    expect(tonesOf('██▌')).toEqual(new Set([]));
    expect(tonesOf('██')).toEqual(new Set(['up', 'down', 'faint-up', 'faint-down']));
    expect(tonesOf('114.00')).toEqual(new Set(['up']));
  });
});

describe('a line', () => {
  test('joins the closing prices with braille dots', () => {
    expect(chart({ style: 'line' })).toMatchInlineSnapshot(`
      "
                              ⡜⢆      │
         ⣠                   ⡜ ⠈⢢     ┤    120
      ┈┈⡰⠁⢣┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈⡜┈┈┈┈⢣┈⣀⣀⠤┤◂114.00
       ⡔⠁  ⢣              ⢀⠜      ⠉   ┤    110
      ⠜    ⠈⢆            ⢠⠊           │
            ⠈⢆          ⡠⠃            │
              ⠣⡀   ⡠⠒⠒⠒⠒⠁             ┤    100
               ⠘⢄⠔⠉                   │
      ▄▄▄▄▆▆▆▇▇▇███▄▄▄▆▆▆▆▇▇▇███▄▄▄▆▆▆┤  13.00
      ████████████████████████████████│
      ┬─────────────┬─────────────────┘
      1 Jan         5 Jan
      "
    `);
  });
});

test('no candles draw nothing', () => {
  expect(linesOf([], 'line', { width: 40, rows: 10, hasColour: true })).toEqual([]);
});

test('any drawing fits the window, and every cell is filled', () => {
  const price = fc.double({ min: 1e-12, max: 1e6, noNaN: true });
  const anySeries = fc.array(fc.tuple(price, price), { minLength: 1, maxLength: 400 }).map((prices) =>
    prices.map(([open, close], day) => ({
      time: FIRST + day * DAY,
      open,
      high: Math.max(open, close) * 1.1,
      low: Math.min(open, close) * 0.9,
      close,
      volume: close > 1 ? open : null,
    })),
  );
  const anyOptions = fc.record({
    style: fc.constantFrom('candles' as const, 'line' as const),
    width: fc.integer({ min: 20, max: 240 }),
    rows: fc.integer({ min: 10, max: 40 }),
    hasColour: fc.boolean(),
  });
  fc.assert(
    fc.property(anySeries, anyOptions, (candles, options) => {
      const text = plainText(linesOf(candles, options.style, options));
      const lines = text.split('\n');
      expect(lines.length).toBeLessThanOrEqual(options.rows);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(options.width);
      expect(text).not.toMatch(/undefined|NaN/);
    }),
    { numRuns: isLong ? 300 : 50 },
  );
});

test('a low window has a low chart without empty lines around it', () => {
  const rowsOf = (rows: number) =>
    linesOf(series, 'candles', { width: 40, rows, hasColour: true }).map((line) => plainText([line]));
  expect([6, 13, 14, 24, 60].map((rows) => rowsOf(rows).length)).toEqual([6, 13, 14, 18, 18]);
  expect(rowsOf(13)[0]).not.toBe('');
  expect([rowsOf(14)[0], rowsOf(14).at(-1)]).toEqual(['', '']);
});
