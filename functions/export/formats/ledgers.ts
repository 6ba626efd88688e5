/** Price directives of plain-text accounting: for ledger 3 and hledger, which share a format, and for Beancount. */
import type { Quality } from '../../../shared/marketdata/provenance.ts';
import { timeText } from './content.ts';

/** A price of one coin. */
export interface LedgerPrice {
  /** The coin's name as the format writes it. */
  readonly commodity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Decimal digits. */
  readonly price: string;
  readonly quality: Quality;
  readonly source: string;
}

export interface PriceList {
  /** The currency's name as the format writes it. */
  readonly quote: string;
  /** Ascending for each coin. */
  readonly prices: readonly LedgerPrice[];
  /** Comments: the reasons for coins without a price, and which coins continue as others. */
  readonly remarks: readonly string[];
}

export interface LedgerFormat {
  /** A commodity's name as the format can write it. Deterministic. */
  spell(name: string): string;
  text(list: PriceList): string;
}

const CONTROLS = /\p{Cc}/gu;

/**
 * `P 2026-11-25 15:00:00 BTC 63284.12 USD`, in UTC. All names but plain capitals are quoted: digits, spaces and signs require
 * it, and some lower-case words have a meaning. hledger ends a quoted name at a semicolon.
 */
export const ledger: LedgerFormat = {
  spell: (name) =>
    /^[A-Z]+$/.test(name) ? name : `"${name.replace(CONTROLS, ' ').replace(/[";\\]/g, '_')}"`,
  text: ({ quote, prices, remarks }) =>
    textOf(prices, remarks, ({ at, commodity, price }) => {
      return `P ${timeText(at).slice(0, -1).replace('T', ' ')} ${commodity} ${price} ${quote}`;
    }),
};

const MAX_BEANCOUNT = 24;
/** Beancount's own values, which are also the symbols of some coins. */
const BEANCOUNT_VALUES = ['TRUE', 'FALSE', 'NULL'];

/**
 * `2026-11-25 price BTC 63284.12 USD`. A name has 2 to 24 capitals, digits and `'._-`, begins with a letter and ends with a
 * letter or digit. Any other character becomes `_` and its code point, and a name that is too short, begins otherwise or is a
 * value gets an `X` in front. A coin has one price a day, its last.
 */
export const beancount: LedgerFormat = {
  spell(name) {
    const coded = name.toUpperCase().replace(/[^A-Z0-9'._-]/gu, (char) => `_${codePointOf(char)}`);
    const isName = /^[A-Z]./.test(coded) && !BEANCOUNT_VALUES.includes(coded);
    const begun = isName ? coded : `X${coded}`;
    const cut = begun.slice(0, MAX_BEANCOUNT).replace(/[^A-Z0-9]+$/, '');
    return cut.length > 1 ? cut : 'XX';
  },
  text({ quote, prices, remarks }) {
    const lastOfDay = new Map(prices.map((price) => [`${dayOf(price)} ${price.commodity}`, price]));
    return textOf([...lastOfDay.values()], remarks, (price) => {
      return `${dayOf(price)} price ${price.commodity} ${price.price} ${quote}`;
    });
  },
};

function codePointOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

function dayOf({ at }: LedgerPrice): string {
  return timeText(at).slice(0, 10);
}

/** A comment names coin, quality and source before the prices that share them. */
function textOf(
  prices: readonly LedgerPrice[],
  remarks: readonly string[],
  line: (price: LedgerPrice) => string,
): string {
  const lines = remarks.map(comment);
  let last = '';
  for (const price of prices) {
    const origin = comment(`${price.commodity}: ${price.quality}, ${price.source}`);
    if (origin !== last) lines.push(origin);
    last = origin;
    lines.push(line(price));
  }
  return lines.map((text) => `${text}\n`).join('');
}

function comment(text: string): string {
  return `; ${text.replace(CONTROLS, ' ')}`;
}
