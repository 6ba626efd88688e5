import { intervals, maxCandles, quotes, rangeNames, ranges } from '../../commands/parse/table.ts';
import type { ChartRange, ChartStyle, Command } from '../../commands/result.ts';
import { defaultProtocol, type Protocol, protocols } from '../../commands/sources.ts';

export type ChartCommand = Extract<Command, { readonly name: 'chart' }>;

/** A card as an address tells it: its coins by symbol or id. */
export interface DashboardItem {
  /** Always without a currency: that is the page's. */
  readonly command: ChartCommand;
  readonly isLogarithmic: boolean;
  /** Whether the moving average is drawn. */
  readonly hasAverage?: boolean | undefined;
}

/** A card may be compared with so many coins: more lines are not told apart. */
export const MAX_COMPARED = 4;
const MAX_SYMBOL_LENGTH = 100;

/**
 * The fragment of an address that shows these cards: `#BTC,ETH+SOL:line:1y`. Cards are separated by commas; a card begins with
 * its symbol or id, `+` and others that it is compared with; then, after colons, what differs from an untold card:
 * `line` or `candles`, `log`, `ma`, a range (`1y`) or candles and interval (`26x7d`, `45x`, `x1h`), `from=` and `to=` a time, a
 * quote, `by=` a provider. Without cards it is empty.
 */
export function hashOf(items: readonly DashboardItem[]): string {
  return items.length === 0 ? '' : `#${items.map(itemText).join(',')}`;
}

/** The cards of a fragment, with or without `#`. What it cannot read is no card; it never throws. */
export function requestsIn(hash: string): readonly DashboardItem[] {
  return hash
    .replace(/^#/, '')
    .split(',')
    .slice(0, MAX_CARDS)
    .map(itemIn)
    .filter((item) => item !== undefined);
}

function itemText({ command, isLogarithmic, hasAverage }: DashboardItem): string {
  const { symbol, compare, style, range, protocol } = command;
  const parts = [
    [symbol, ...compare].map(encoded).join('+'),
    ...(style ? [style] : []),
    ...(isLogarithmic ? ['log'] : []),
    ...(hasAverage ? ['ma'] : []),
    ...rangeParts(range),
    ...(protocol === defaultProtocol ? [] : [`by=${encoded(protocol)}`]),
  ];
  return parts.join(':');
}

function rangeParts({ interval, limit, start, end, quote }: ChartRange): string[] {
  const named = rangeNames.find((name) => ranges[name].interval === interval && ranges[name].limit === limit);
  const count = named ?? `${limit ?? ''}x${interval ?? ''}`;
  return [
    ...(count === 'x' ? [] : [count]),
    ...(start === undefined ? [] : [`from=${encoded(start)}`]),
    ...(end === undefined ? [] : [`to=${encoded(end)}`]),
    ...(quote === undefined ? [] : [quote]),
  ];
}

interface Told {
  style?: ChartStyle;
  isLogarithmic?: boolean;
  hasAverage?: boolean;
  protocol?: Protocol;
  range: ChartRange;
}

function itemIn(text: string): DashboardItem | undefined {
  const [coins = '', ...parts] = text.split(':');
  const symbols = coins.split('+').map(decoded);
  const told: Told = { range: {} };
  const isRead = parts.every((part) => readPart(part, told));
  const [symbol, ...compare] = symbols.filter((each): each is string => each !== undefined && isSymbol(each));
  if (!isRead || symbol === undefined || compare.length !== symbols.length - 1) return undefined;
  const { style, range, protocol = defaultProtocol, isLogarithmic = false, hasAverage } = told;
  return {
    command: { name: 'chart', symbol, compare: compare.slice(0, MAX_COMPARED), protocol, style, range },
    isLogarithmic,
    ...(hasAverage && { hasAverage }),
  };
}

/** Notes what a part says; false if it says nothing known. */
function readPart(part: string, told: Told): boolean {
  const [, name = '', value = ''] = /^(from|to|by)=(.+)$/s.exec(part) ?? [];
  if (name !== '') return readValue(name, decoded(value), told);
  const [, limit = '', interval = ''] = /^(\d{0,3})x(\w*)$/.exec(part) ?? [];
  const range = rangeNames.find((each) => each === part);
  const quote = quotes.find((each) => each === part);
  const known = intervals.find((each) => each === interval);
  const isLimit = limit === '' || (Number(limit) > 0 && Number(limit) <= maxCandles);
  if (part === 'line' || part === 'candles') told.style = part;
  else if (part === 'log') told.isLogarithmic = true;
  else if (part === 'ma') told.hasAverage = true;
  else if (range) told.range = { ...told.range, ...ranges[range] };
  else if (quote) told.range = { ...told.range, quote };
  else if (limit + interval !== '' && isLimit && (interval === '' || known)) {
    told.range = {
      ...told.range,
      ...(known && { interval: known }),
      ...(limit !== '' && { limit: Number(limit) }),
    };
  } else return false;
  return true;
}

function readValue(name: string, value: string | undefined, told: Told): boolean {
  const protocol = protocols.find((each) => each === value);
  if (value === undefined) return false;
  if (name === 'by' && protocol) told.protocol = protocol;
  else if (name === 'from') told.range = { ...told.range, start: value };
  else if (name === 'to') told.range = { ...told.range, end: value };
  else return false;
  return true;
}

function isSymbol(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_SYMBOL_LENGTH;
}

/** Half of a surrogate pair, which no address can carry, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%24', '$');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** More cards come from no reader's hand, and each costs several requests. */
export const MAX_CARDS = 20;
/** Twenty cards with four compared coins each, all by their ids, are shorter. */
const MAX_LENGTH = 5000;

export interface ReadAddress {
  readonly items: readonly DashboardItem[];
  /** What there is to say of parts that are not shown. */
  readonly remarks: readonly string[];
}

/** The cards of an address's fragment, never more than the page can bear. */
export function readAddress(hash: string): ReadAddress {
  const text = hash.replace(/^#/, '');
  if (text.length > MAX_LENGTH) return { items: [], remarks: ['This address is too long for a dashboard.'] };
  const parts = text.split(',').filter((part) => part !== '');
  const asked = parts.slice(0, MAX_CARDS);
  const items = requestsIn(asked.join(','));
  const unread = asked.length - items.length;
  const over = parts.length - asked.length;
  return {
    items,
    remarks: [
      ...(unread > 0 ? [`${counted(unread)} of this address could not be read.`] : []),
      ...(over > 0 ? [`An address shows at most ${MAX_CARDS} cards: ${over} more were left out.`] : []),
    ],
  };
}

function counted(count: number): string {
  return count === 1 ? 'One card' : `${count} cards`;
}
