import { type Conversion, DOLLAR } from '../../commands/currency.ts';
import { priceMissing } from '../../commands/failure.ts';
import { formatMoney, formatPercent, toneOf } from '../../commands/format/numbers.ts';
import { changeSpan, coinColumns, type TableCoin } from '../../commands/format/price.ts';
import { type Column, tableLines } from '../../commands/format/table.ts';
import { type Line, type Span, span } from '../../commands/format/text.ts';
import { formatInstant } from '../../commands/format/time.ts';
import { errorOf, pricedJson, priceRecord, type Records } from '../../commands/output.ts';
import { conversionText } from '../../commands/sources.ts';
import { pointsOf, scaleOf } from '../chart/axis.ts';
import { brailleCells } from '../chart/cells.ts';
import { sumOf } from '../worth.ts';
import type { ListResult, ListRow } from './list.ts';

/** Doubts about a row's price as a letter; the words below the table explain it. */
const marks = {
  S: 'simulated data, not a real price',
  O: 'out of date: the provider is unreachable, or the service returned nothing newer',
  D: 'disputed: exchanges differ by more than 10 %',
  '?': 'no price is known',
} as const;

/** The first columns stay when there is little room. */
const priorities = [
  ...(['symbol', 'mark', 'price', 'change24h', 'value', 'week', 'profitPercent', 'name'] as const),
  ...(['change7d', 'change1h', 'profit', 'amount', 'rank', 'marketCap', 'volume'] as const),
];

type Name = (typeof priorities)[number];

/** The printed list: a table with the sum of the holdings, and remarks. */
export function listLines(list: ListResult, { width, now }: { width: number; now: number }): Line[] {
  const time = newestTime(list);
  return [
    ...listTable(list.rows, list.conversion, width),
    ...sumLines(list),
    ...(time === undefined ? [] : [[span(`Prices as of ${formatInstant(time, now)}.`, 'muted')]]),
    ...noteLines(list, now),
    ...(list.isDefault ? [[span('Add your own: marketdata watch add BTC', 'muted')]] : []),
  ];
}

/** The heading and a line for each row, with as many columns as fit. */
export function listTable(
  rows: readonly ListRow[],
  conversion: Conversion | undefined,
  width: number,
): Line[] {
  const currency = conversion?.currency;
  const { symbol, name, price, ...others } = coinColumns(conversion);
  const held = (title: string, cell: (worth: NonNullable<ListRow['worth']>) => Span): Column<Cells> => ({
    title,
    side: 'right',
    cell: ({ worth }) => (worth ? [cell(worth)] : []),
  });
  const columns: Readonly<Record<Name, Column<Cells>>> = {
    mark: { cell: (row) => [span(marksOf(row).join(''))] },
    rank: {
      title: '#',
      side: 'right',
      cell: ({ data: { rank } }) => (rank !== null && rank > 0 ? [span(String(rank), 'muted')] : []),
    },
    symbol: { ...symbol, to: 12 },
    name: { ...name, from: 12, to: 22 },
    price: {
      ...price,
      cell: ({ moved, ...coin }, cells) =>
        price.cell(coin, cells).map(({ text }) => span(text, moved && `flash-${moved}`)),
    },
    ...others,
    week: {
      title: '7 days',
      from: 7,
      to: 14,
      cell: ({ week, data }, cells) => [
        span(sparkline(week, cells), toneOf(data.quotes.USD.percent_change_7d)),
      ],
    },
    amount: held('Amount', ({ amount }) => span(amount)),
    value: held('Value', ({ value }) => span(formatMoney(value, currency))),
    profit: held('Profit', ({ profit }) => span(signed(profit, currency), toneOf(profit))),
    profitPercent: held('Profit %', ({ profitPercent }) => changeSpan(profitPercent)),
  };
  const order: readonly string[] = priorities;
  const ordered = Object.entries(columns).map(([each, column]) => ({
    ...column,
    order: order.indexOf(each),
  }));
  return tableLines(ordered, rows.map(cellsOf), width);
}

type Cells = ListRow & TableCoin;

function cellsOf(row: ListRow): Cells {
  const { id, coin } = row;
  if (!('error' in coin)) return { ...row, data: coin.data };
  const changes = { percent_change_1h: null, percent_change_24h: null, percent_change_7d: null };
  const USD = { price: null, market_cap: null, volume_24h: null, ...changes };
  return { ...row, data: { id, symbol: id, name: '', rank: null, quotes: { USD } } };
}

/** A line of prices in one row of `width` cells, from lowest to highest; empty with fewer than two prices. */
export function sparkline(week: ListRow['week'], width: number): string {
  const known = week.filter((price) => price !== null);
  if (known.length < 2) return '';
  const [cells = []] = brailleCells([{ points: pointsOf(week, scaleOf(known)) }], width, 1);
  return cells.map(({ character }) => character).join('');
}

/** A formatted amount of money with its sign, so that it reads without colour. */
function signed(value: number | null, currency: string | undefined): string {
  return `${value !== null && value > 0 ? '+' : ''}${formatMoney(value, currency)}`;
}

/** The value of all holdings together, with remarks; empty without holdings. */
export function sumLines({ rows, conversion }: ListResult): Line[] {
  const sum = sumOf(rows.flatMap(({ worth }) => worth ?? []));
  if (!sum) return [];
  const { value, profit, profitPercent, count, priced, withCost, convertedFrom } = sum;
  const currency = conversion?.currency;
  const percent = profitPercent === null ? '' : ` (${formatPercent(profitPercent)})`;
  const remarks = [
    ...(priced < count ? [`${count - priced} of ${count} without a price`] : []),
    ...(withCost > 0 && withCost < count ? [`profit of the ${withCost} with a cost`] : []),
    ...(convertedFrom.length > 0 ? [`cost in ${convertedFrom.join(' and ')} at today's rate`] : []),
  ];
  return [
    [
      span('Sum ', 'muted'),
      span(formatMoney(value, currency), 'strong'),
      ...(profit === null
        ? []
        : [span('  profit ', 'muted'), span(`${signed(profit, currency)}${percent}`, toneOf(profit))]),
    ],
    ...(remarks.length > 0 ? [[span(`Sum: ${remarks.join('; ')}.`, 'muted')]] : []),
  ];
}

/** Explains the rows' letters, and the source of the exchange rate. */
export function noteLines({ rows, conversion, isDefault }: ListResult, now: number): Line[] {
  const used = new Set(rows.flatMap(marksOf));
  const explanations = Object.entries(marks).flatMap(([mark, explanation]) =>
    used.has(mark) ? `${mark} ${explanation}` : [],
  );
  const notes = [
    ...(explanations.length > 0 ? [`${explanations.join('; ')}.`] : []),
    ...(conversion ? [`Prices ${conversionText(conversion, now)}; changes are those in USD.`] : []),
    ...(isDefault ? ['These are the ten largest coins: your list is empty.'] : []),
  ];
  return notes.map((text) => [span(text, 'muted')]);
}

function marksOf({ coin }: ListRow): string[] {
  if ('error' in coin) return ['?'];
  const { isSimulated, quality, outdatedMs } = coin.provenance;
  return [
    ...(isSimulated ? ['S'] : []),
    ...(quality === 'stale' || outdatedMs !== undefined ? ['O'] : []),
    ...(quality === 'disputed' ? ['D'] : []),
  ];
}

/** The time of the newest price, in milliseconds since the epoch; undefined if none has a time. */
export function newestTime({ rows }: ListResult): number | undefined {
  const times = rows.flatMap(({ coin }) => ('error' in coin ? [] : (coin.provenance.madeAt ?? [])));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The output of `cprice --json` for several coins, with the holding of each. */
export function listJson({ rows, conversion }: ListResult): unknown {
  const currency = conversion?.currency ?? DOLLAR;
  return rows.map(({ id, coin, worth }) =>
    'error' in coin
      ? { id, ...errorOf(priceMissing(coin)) }
      : { ...pricedJson(coin, conversion), ...(worth && { holding: { ...worth, currency } }) },
  );
}

/** Coins without a price are left out, as in `cprice`. */
export function listRecords({ rows, conversion }: ListResult): Records {
  const records = rows.flatMap(({ coin, worth }) => {
    if ('error' in coin) return [];
    const { amount = null, value = null, cost = null } = worth ?? {};
    const held = { amount: amount === null ? null : Number(amount), value, cost };
    return [{ ...priceRecord(coin, conversion), ...held }];
  });
  return { columns: Object.keys(records[0] ?? {}), records };
}
