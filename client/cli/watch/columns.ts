import { formatPercent, formatPrice, NOT_AVAILABLE } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { displayWidth, type Tone } from '../../commands/format/text.ts';
import type { WatchRow } from './rows.ts';
import { sparkline } from './sparklines.ts';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

export interface Column {
  readonly heading: string;
  /** Text stands at the left, numbers at the right. */
  readonly side: 'left' | 'right';
  readonly width: number;
  readonly cell: (row: WatchRow) => Cell;
}

interface Spec extends Pick<Column, 'heading' | 'side'> {
  readonly cell: (row: WatchRow, currency: string | undefined, width: number) => Cell;
  /** Undefined: as wide as its widest cell. */
  readonly width?: { readonly from: number; readonly to: number };
  /** Left out if it is false. */
  readonly isWanted?: (rows: readonly WatchRow[]) => boolean;
}

const isHeld = (rows: readonly WatchRow[]) => rows.some(({ worth }) => worth);

/** In the order in which they stand. */
const specs = {
  mark: {
    heading: '',
    side: 'left',
    cell: ({ marks }) => ({ text: marks.join('') }),
    isWanted: (rows) => rows.some(({ marks }) => marks.length > 0),
  },
  rank: {
    heading: '#',
    side: 'right',
    cell: ({ rank }) => ({ text: rank !== null && rank > 0 ? String(rank) : '', tone: 'muted' }),
  },
  symbol: { heading: 'Coin', side: 'left', cell: ({ symbol }) => ({ text: symbol, tone: 'strong' }) },
  name: { heading: 'Name', side: 'left', cell: ({ name }) => ({ text: name }), width: { from: 8, to: 22 } },
  price: {
    heading: 'Price',
    side: 'right',
    cell: ({ price }, currency) => ({ text: formatPrice(price, currency) }),
  },
  change1h: { heading: '1h', side: 'right', cell: ({ change1h }) => percent(change1h) },
  change24h: { heading: '24h', side: 'right', cell: ({ change24h }) => percent(change24h) },
  change7d: { heading: '7d', side: 'right', cell: ({ change7d }) => percent(change7d) },
  week: {
    heading: '7 days',
    side: 'left',
    cell: ({ week, change7d }, _currency, width) => ({
      text: sparkline(week, width),
      tone: toneOf(change7d),
    }),
    width: { from: 7, to: 14 },
    isWanted: (rows) => rows.some(({ week }) => week.length > 0),
  },
  amount: {
    heading: 'Amount',
    side: 'right',
    cell: ({ worth }) => ({ text: worth?.amount ?? '' }),
    isWanted: isHeld,
  },
  value: {
    heading: 'Value',
    side: 'right',
    cell: ({ worth }, currency) => ({ text: worth ? formatMoney(worth.value, currency) : '' }),
    isWanted: isHeld,
  },
  profit: {
    heading: 'Profit',
    side: 'right',
    cell: ({ worth }, currency) => (worth ? signed(worth.profit, currency) : { text: '' }),
    isWanted: isHeld,
  },
  profitPercent: {
    heading: 'Profit %',
    side: 'right',
    cell: ({ worth }) => (worth ? percent(worth.profitPercent) : { text: '' }),
    isWanted: isHeld,
  },
} as const satisfies Readonly<Record<string, Spec>>;

type Name = keyof typeof specs;

/** Those that stay when there is little room come first. */
const priorities: readonly Name[] = [
  'symbol',
  'mark',
  'price',
  'change24h',
  'value',
  'week',
  'profitPercent',
  'name',
  'change7d',
  'change1h',
  'profit',
  'amount',
  'rank',
];

export const GAP = 2;
const MAX_SYMBOL = 12;

/** The columns that fit `width` cells, with a gap between them; what is left widens the weeks and the names. */
export function columnsFor(rows: readonly WatchRow[], width: number, currency: string | undefined): Column[] {
  const widths = new Map<Name, number>();
  let left = width + GAP;
  for (const name of priorities) {
    const spec: Spec = specs[name];
    if (spec.isWanted && !spec.isWanted(rows)) continue;
    const needed = spec.width?.from ?? widestOf(name, rows, currency);
    if (needed + GAP > left) continue;
    widths.set(name, needed);
    left -= needed + GAP;
  }
  for (const name of ['name', 'week'] as const) {
    const [spec, has]: [Spec, number | undefined] = [specs[name], widths.get(name)];
    if (has === undefined) continue;
    const wanted = name === 'name' ? Math.max(has, widestOf(name, rows, currency)) : (spec.width?.to ?? has);
    const more = Math.min(left, Math.min(wanted, spec.width?.to ?? wanted) - has);
    widths.set(name, has + more);
    left -= more;
  }
  const names = Object.keys(specs) as readonly Name[];
  return names.flatMap((name) => {
    const [spec, cells]: [Spec, number | undefined] = [specs[name], widths.get(name)];
    if (cells === undefined) return [];
    const { heading, side } = spec;
    return [{ heading, side, width: cells, cell: (row: WatchRow) => spec.cell(row, currency, cells) }];
  });
}

function widestOf(name: Name, rows: readonly WatchRow[], currency: string | undefined): number {
  const spec: Spec = specs[name];
  const widest = Math.max(
    displayWidth(spec.heading),
    ...rows.map((row) => displayWidth(spec.cell(row, currency, 0).text)),
  );
  return name === 'symbol' ? Math.min(MAX_SYMBOL, widest) : widest;
}

function percent(value: number | null): Cell {
  return { text: formatPercent(value), tone: toneOf(value) };
}

/** What something is worth: as a price, but in cents from 1 on. */
export function formatMoney(value: number | null, currency: string | undefined): string {
  if (value === null) return NOT_AVAILABLE;
  return formatPrice(Math.abs(value) < 1 ? value : Math.round(value * 100) / 100, currency);
}

/** The same with a sign, so that no colour has to tell it. */
export function signed(value: number | null, currency: string | undefined): Cell {
  const text = formatMoney(value, currency);
  return value === null ? { text } : { text: `${value > 0 ? '+' : ''}${text}`, tone: toneOf(value) };
}
