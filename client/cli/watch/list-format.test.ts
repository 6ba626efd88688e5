import { expect, test } from 'vitest';
import { tickerOf } from '../../../test/client/stub-api.ts';
import { plainText } from '../../commands/format/text.ts';
import { displayWidth, wrapLines } from '../../commands/format/width.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { MissingTicker, RatedTicker } from '../../commands/tickers.ts';
import type { Worth } from '../worth.ts';
import type { ListResult, ListRow } from './list.ts';
import { listLines, sparkline } from './list-format.ts';

const NOW = Date.parse('2026-01-31T12:05:00Z');

const exact: Provenance = {
  sources: ['coinpaprika'],
  isSimulated: false,
  quality: 'exact',
  madeAt: Date.parse('2026-01-31T12:00:00Z'),
  outdatedMs: undefined,
  freshUntil: NOW + 300_000,
};

function coin(
  symbol: string,
  name: string,
  rank: number,
  [price, hour, day, week]: readonly [number, number, number, number],
  provenance: Partial<Provenance> = {},
): RatedTicker {
  const changes = { percent_change_1h: hour, percent_change_24h: day, percent_change_7d: week };
  const id = `${symbol}-${name}`.toLowerCase().replaceAll(' ', '-');
  return {
    data: tickerOf({ id, symbol, name, rank }, { price, ...changes }),
    provenance: { ...exact, ...provenance },
  };
}

const coins: readonly (RatedTicker | MissingTicker)[] = [
  coin('BTC', 'Bitcoin', 1, [67_123.456, 0.1, 2.314, -1]),
  coin('ETH', 'Ethereum', 2, [3421.5, -0.12, -1.5, 12.25], { quality: 'disputed' }),
  coin('PEPE', 'Pepe', 31, [0.00001234, 0, 0.004, -40.5], { isSimulated: true, quality: 'stale' }),
  { id: 'gone-coin', error: 'No ticker is available' },
];

function worth(amount: string, value: number, cost?: number, convertedFrom?: string): Worth {
  const profit = cost === undefined ? null : value - cost;
  const profitPercent = cost === undefined || profit === null ? null : (profit / cost) * 100;
  return { amount, value, cost: cost ?? null, profit, profitPercent, convertedFrom };
}

/** Holdings by coin: in US dollars with one converted from euros, or in euros. */
const heldAt = (rate: number) =>
  new Map([
    ['btc-bitcoin', worth('0.5', 33_561.728 * rate, 30_000 * rate, rate === 1 ? undefined : 'USD')],
    ['eth-ethereum', worth('2', 6843 * rate, 10_000 * rate, rate === 1 ? 'EUR' : undefined)],
    ['pepe-pepe', worth('1000000', 12.34 * rate)],
  ]);

const ups = Array.from({ length: 43 }, (_, at) => 60_000 + at * at * 4);
const downs = ups.map((price) => 200_000 - price).map((price, at) => (at === 7 ? null : price));
const weeks: Readonly<Record<string, ListRow['week']>> = {
  'btc-bitcoin': ups,
  'eth-ethereum': downs,
  'pepe-pepe': [1, null],
};

interface Changes extends Partial<Omit<ListResult, 'rows'>> {
  readonly coins?: readonly (RatedTicker | MissingTicker)[];
  readonly worths?: ReadonlyMap<string, Worth>;
}

function printed(
  width: number,
  { coins: shown = coins, worths = new Map(), ...changes }: Changes = {},
): string[] {
  const rows = shown.map((each): ListRow => {
    const id = 'error' in each ? each.id : each.data.id;
    const row = { id, coin: each, isWatched: true, week: weeks[id] ?? [], moved: undefined };
    return { ...row, worth: worths.get(id) };
  });
  const none = { isDefault: false, conversion: undefined, freshUntil: NOW };
  const list: ListResult = { kind: 'list', rows, ...none, ...changes };
  const lines = plainText(wrapLines(listLines(list, { width, now: NOW }), width)).split('\n');
  for (const line of lines) expect(displayWidth(line.trimEnd())).toBeLessThanOrEqual(width);
  return lines.map((line) => line.trimEnd());
}

test.each([
  [
    40,
    [
      '     #  Symbol           Price     24h',
      '     1  BTC         $67,123.46  +2.31%',
      'D    2  ETH          $3,421.50  -1.50%',
      'SO  31  PEPE       $0.00001234   0.00%',
      '?       gone-coin          n/a     n/a',
      'Sum $40,417.07  profit +$404.73 (+1.01%)',
      'Sum: profit of the 2 with a cost; cost',
      "in EUR at today's rate.",
      'Prices as of 12:00 UTC.',
      'S simulated data, not a real price; O',
      'out of date: the provider is',
      'unreachable, or the service returned',
      'nothing newer; D disputed: exchanges',
      'differ by more than 10 %; ? no price is',
      'known.',
    ],
  ],
  [
    120,
    [
      '     #  Symbol     Name            Price      1h     24h       7d  7 days       Amount       Value      Profit  Profit %',
      '     1  BTC        Bitcoin    $67,123.46  +0.10%  +2.31%   -1.00%  ⣀⣀⣀⣀⡤⠤⠤⠒⠒⠉      0.5  $33,561.73  +$3,561.73   +11.87%',
      'D    2  ETH        Ethereum    $3,421.50  -0.12%  -1.50%  +12.25%  ⠉⠉⠉⠉⠓⠒⠒⠤⠤⣀        2   $6,843.00  -$3,157.00   -31.57%',
      'SO  31  PEPE       Pepe      $0.00001234   0.00%   0.00%  -40.50%              1000000      $12.34         n/a       n/a',
      '?       gone-coin                    n/a     n/a     n/a      n/a',
      'Sum $40,417.07  profit +$404.73 (+1.01%)',
      "Sum: profit of the 2 with a cost; cost in EUR at today's rate.",
    ],
  ],
])('holdings in %i columns', (width, lines) => {
  expect(printed(width, { worths: heldAt(1) }).slice(0, lines.length)).toEqual(lines);
});

test('in another currency prices, values and profits are converted, with a note about the rate', () => {
  const conversion = {
    currency: 'EUR',
    rate: 0.8,
    digits: 17,
    day: '2026-01-30',
    provenance: { ...exact, sources: ['ecb'] },
  };
  expect(printed(80, { worths: heldAt(0.8), conversion })).toEqual([
    '     #  Symbol     Name             Price     24h  7 days        Value  Profit %',
    '     1  BTC        Bitcoin     €53,698.77  +2.31%  ⣀⣀⣀⠤⠴⠒⠋  €26,849.38   +11.87%',
    'D    2  ETH        Ethereum     €2,737.20  -1.50%  ⠉⠉⠉⠒⠲⠤⣄   €5,474.40   -31.57%',
    'SO  31  PEPE       Pepe      €0.000009872   0.00%                €9.87       n/a',
    '?       gone-coin                     n/a     n/a',
    'Sum €32,333.65  profit +€323.78 (+1.01%)',
    "Sum: profit of the 2 with a cost; cost in USD at today's rate.",
    'Prices as of 12:00 UTC.',
    'S simulated data, not a real price; O out of date: the provider is unreachable,',
    'or the service returned nothing newer; D disputed: exchanges differ by more than',
    '10 %; ? no price is known.',
    'Prices in EUR at the rate of 30 January (European Central Bank); changes are',
    'those in USD.',
  ]);
});

test('the default list of the largest coins has a note', () => {
  expect(printed(80, { isDefault: true }).slice(-2)).toEqual([
    'These are the ten largest coins: your list is empty.',
    'Add your own: marketdata watch add BTC',
  ]);
});

test.each([
  [[1, 2, 3, 4], '⣀⠤⠒⠊'],
  [[5, 5, 5], '⠤⠤⠤⠤'],
  [[1, null, null, 4], '⣀⠤⠒⠉'],
  [[1, null], ''],
])('a week of %j is %s', (week, drawn) => {
  expect(sparkline(week, 4)).toBe(drawn);
});
