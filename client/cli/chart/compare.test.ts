import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../test/setup/long.ts';
import { resultLines } from '../../commands/format/result.ts';
import { plainText } from '../../commands/format/text.ts';
import { displayWidth } from '../../commands/format/width.ts';
import type { ChartResult, CoinCandles } from '../../commands/result.ts';
import { type ChartSize, drawChart } from './chart.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2025, 0, 31);
const NOW = FIRST + 365 * DAY_MS;

/** A coin whose price on the given day is this. */
function coinOf(symbol: string, priceOn: (day: number) => number, changes: Partial<CoinCandles> = {}) {
  const id = symbol.toLowerCase();
  const data = Array.from({ length: 365 }, (_, day) => {
    const [open, close] = [priceOn(day), priceOn(day + 1)];
    const time = FIRST + day * DAY_MS;
    return {
      time_open: new Date(time).toISOString(),
      time_close: new Date(time + DAY_MS - 1000).toISOString(),
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volume: 1,
      market_cap: null,
    };
  });
  const candles: CoinCandles = {
    coin: { id, name: symbol, symbol, alternatives: 0, isActive: true },
    data: { coinId: id, interval: '24h', quote: 'usd', count: data.length, data },
    provenance: {
      sources: ['coinbase'],
      isSimulated: false,
      quality: 'exact',
      madeAt: NOW,
      outdatedMs: undefined,
      freshUntil: 0,
    },
  };
  return { ...candles, ...changes };
}

const btc = coinOf('BTC', (day) => 60_000 * (1 + (0.6 * day) / 365 + 0.1 * Math.sin(day / 20)));
const eth = coinOf('ETH', (day) => 3000 * (1 - (0.2 * day) / 365 + 0.2 * Math.sin(day / 30)));
const sol = coinOf('SOL', (day) => 150 * (1 + 0.3 * Math.sin(day / 50)));

function chartOf(own: CoinCandles, ...compared: CoinCandles[]): ChartResult {
  const compare = compared.map(({ coin }) => coin.symbol);
  const command = {
    name: 'chart',
    symbol: own.coin.symbol,
    compare,
    protocol: 'coinpaprika',
    style: undefined,
    range: {},
  } as const;
  return { kind: 'chart', command, ...own, compared };
}

function shown(result: ChartResult, size: ChartSize): string {
  const draw = () => drawChart(result, size);
  // A terminal shows no space at the end of a line, and a test that compares it is hard to read.
  return `\n${plainText(resultLines(result, { width: size.width, now: NOW, draw }))}\n`.replace(/ +$/gm, '');
}

test('coins that are compared are lines with their symbols at their ends, on one scale in percent', () => {
  expect(shown(chartOf(btc, eth, sol), { width: 80, rows: 15, hasColour: true })).toMatchInlineSnapshot(`
    "
    BTC, ETH, SOL: 365 daily prices in percent
    BTC  $92,614.34  1y +54.36%
    ETH   $2,166.51  1y -27.78%
    SOL     $188.27  1y +25.51%

                                                         ⣀⠤⠒⠊⠉⠉⠉⠑⠒⠤⢄⣀      ⢀⡠⠔┤◂ BTC
                                                      ⢀⠔⠊            ⠉⠑⠒⠒⠒⠉⠁  ┤ +40%
                                 ⣀⠤⠤⠒⠒⠤⠤⣀⡀         ⢀⡠⠊⠁                       │
            ⢀⣀⠤⠔⠒⠊⠉⠉⠉⠉⠒⠒⠤⠤⣀   ⡠⠔⠉        ⠈⠉⠒⠢⠤⠤⠤⠤⠒⠊⠁                        ⣀⡠┤◂ SOL
         ⣠⣴⣮⣥⣤⡤⣀⡀          ⣉⠖⠭⣀                                         ⢀⠤⠒⠉  ┤ +20%
     ⢀⡤⠒⠉⠁    ⠈⠑⠚⠵⢦⣄⣀ ⣀⣀⡠⠔⠊    ⠑⠢⣀              ⣀⣀⣀⣀⣀⣀               ⣀⠔⠊⠁     │
    ⠒⠁┈┈┈┈┈┈┈┈┈┈┈┈┈┈⠑⠫⡀┈┈┈┈┈┈┈┈┈┈┈⠑⠢⣀┈┈┈┈┈┈┈⣀⠤⠒⠉┈┈┈┈┈┈⠉⠒⠤⡀┈┈┈┈┈┈┈┈⣀⠔⠉┈┈┈┈┈┈┈┈┈┤   0%
                      ⠈⠒⢄            ⠑⠢⣀ ⣀⠔⠊             ⠈⠑⢄   ⣀⠔⠊            │
                         ⠉⠢⣀          ⣀⠔⠋⠒⠤⣀               ⢀⡱⠲⣉               ┤ -20%
                            ⠉⠒⠢⠤⠤⠤⠤⠔⠒⠉      ⠉⠒⠤⠤⣀⣀⣀⣀⣀⣀⣀⠤⠔⠒⠉⠁   ⠑⠤⡀          ⢀⡠┤◂ ETH
                                                                 ⠈⠑⠢⠤⣀⣀⣀⣀⠤⠔⠊⠁ │
    ──────┬───────────┬───────────┬────────────┬───────────┬──────────────────┘
          Mar 2025    May         Jul          Sep         Nov

    Source: Coinbase, as of 00:00 UTC; exact candles
    "
  `);
});

test('without colour each line has a pattern of its own, which a legend explains', () => {
  expect(shown(chartOf(btc, eth, sol), { width: 40, rows: 11, hasColour: false })).toMatchInlineSnapshot(`
    "
    BTC, ETH, SOL: 365 daily prices in percent
    BTC  $92,614.34  1y +54.36%
    ETH   $2,166.51  1y -27.78%
    SOL     $188.27  1y +25.51%
                           ⢀⡠⠊⠉⠑⠢⢄⣀⢀⡠⠒┤◂ BTC
                 ⢀⣀⣀⡀     ⡠⠊       ⠁  │
        ⡀⠐ ⠂⠐ ⡀⢀⠔⠁  ⠈⠑⠤⠤⠤⠊          ⢀ ┤◂ SOL
     ⢀⠴⠒⠶⣄    ⡠⠓                   ⠄  │
    ⠔⠁┈┈┈┈⠉⠲⡒⠉┈┈┈⠁⢀┈┈┈┈⠔⠊┈┈⢄⡀┈┈┈┈⠐┈┈┈┈┤   0%
            ⠘       ⢄       ⠈ ⢀ ⠁     │
               ⢄⡀  ⠔⠁⠐ ⡀   ⢀ ⠂⠰⡀      ┤ -25%
                ⠈       ⠈ ⠁    ⠈  ⣀⡠  ┤◂ ETH
    ────────┬──────────┬──────────────┘
            May 2025   Sep
    ⠤⠤⠤⠤⠤ BTC  ⠤⠄⠀⠠⠤ ETH  ⠄⠄⠠⠀⠄ SOL
    Source: Coinbase, as of 00:00 UTC; exact candles
    "
  `);
});

test("a coin's line and its symbols in the heading and at the end share a colour", () => {
  const chart = chartOf(btc, eth);
  const spans = resultLines(chart, {
    width: 80,
    now: NOW,
    draw: () => drawChart(chart, { width: 80, rows: 11, hasColour: true }),
  }).flat();
  expect(spans.filter(({ text }) => /^◂? *BTC$/.test(text)).map(({ tone }) => tone)).toEqual([
    'line1',
    'line1',
  ]);
  expect(spans.filter(({ text }) => /^◂? *ETH$/.test(text)).map(({ tone }) => tone)).toEqual([
    'line2',
    'line2',
  ]);
});

test('a coin without prices in the period is listed and has no line', () => {
  const none = { ...eth, data: { ...eth.data, count: 0, data: [] } };
  const text = shown(chartOf(btc, none), { width: 60, rows: 11, hasColour: true });
  expect(text).toMatch(/\nETH +n\/a {2}no prices in this time\n/);
  expect(text.match(/ETH/g)).toHaveLength(2);
  expect(drawChart(chartOf(none, none), { width: 60, rows: 11, hasColour: true })).toEqual([]);
});

test('any comparison fits the terminal in width and height', () => {
  const wave = fc.tuple(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 90 }));
  const symbol = fc.constantFrom('BTC', '战旗', 'ALONGSYMBOL', '\u001b[2J');
  const coin = fc
    .tuple(symbol, wave)
    .map(([name, [price, length]]) => coinOf(name, (day) => price * (1.5 + Math.sin(day / length))));
  fc.assert(
    fc.property(
      fc.array(coin, { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 20, max: 140 }),
      fc.integer({ min: 11, max: 40 }),
      fc.boolean(),
      ([own = btc, ...others], width, rows, hasColour) => {
        const lines = plainText(drawChart(chartOf(own, ...others), { width, rows, hasColour })).split('\n');
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/undefined|NaN|\p{Cc}/u);
        }
      },
    ),
    { numRuns: isLong ? 60 : 10, endOnFailure: true },
  );
});
