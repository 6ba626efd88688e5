/** Price directives of plain-text accounting: of ledger 3 and hledger, which read the same, and of Beancount. */
import type { Quality } from '../../../shared/marketdata/provenance.ts';
import { timeText } from './content.ts';

/** A price of one coin. */
export interface LedgerPrice {
  /** As the format spells it. */
  readonly commodity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Decimal digits. */
  readonly price: string;
  readonly quality: Quality;
  readonly source: string;
}

export interface PriceList {
  /** As the format spells it. */
  readonly quote: string;
  /** Each coin's in ascending order. */
  readonly prices: readonly LedgerPrice[];
  /** Of each coin without a price, why it has none. */
  readonly missing: readonly string[];
}

export interface LedgerFormat {
  /** A commodity's name as the format can write it; the same for the same text. */
  spell(name: string): string;
  text(list: PriceList): string;
}

const CONTROLS = /\p{Cc}/gu;

/**
 * `P 2026-11-25 15:00:00 BTC 63284.12 USD`, in UTC. All names but plain capitals are quoted: digits, spaces and signs ask
 * for it, and some words of lower case have a meaning. hledger ends a quoted name at a semicolon.
 */
export const ledger: LedgerFormat = {
  spell: (name) =>
    /^[A-Z]+$/.test(name) ? name : `"${name.replace(CONTROLS, ' ').replace(/[";\\]/g, '_')}"`,
  text: ({ quote, prices, missing }) =>
    textOf(prices, missing, ({ at, commodity, price }) => {
      return `P ${timeText(at).slice(0, -1).replace('T', ' ')} ${commodity} ${price} ${quote}`;
    }),
};

const MAX_BEANCOUNT = 24;
/** Values of Beancount's own, and the symbols of some coins. */
const BEANCOUNT_VALUES = ['TRUE', 'FALSE', 'NULL'];

/**
 * `2026-11-25 price BTC 63284.12 USD`. A name has 2 to 24 capitals, digits and `'._-`, and goes from a letter to a letter
 * or digit: another character becomes `_` and its code point, and `X` comes before a name that is too short, begins
 * otherwise or is a value. A day has one price of a coin, its last.
 */
export const beancount: LedgerFormat = {
  spell(name) {
    const coded = name.toUpperCase().replace(/[^A-Z0-9'._-]/gu, (char) => `_${codePointOf(char)}`);
    const isName = /^[A-Z]./.test(coded) && !BEANCOUNT_VALUES.includes(coded);
    const begun = isName ? coded : `X${coded}`;
    const cut = begun.slice(0, MAX_BEANCOUNT).replace(/[^A-Z0-9]+$/, '');
    return cut.length > 1 ? cut : 'XX';
  },
  text({ quote, prices, missing }) {
    const lastOfDay = new Map(prices.map((price) => [`${dayOf(price)} ${price.commodity}`, price]));
    return textOf([...lastOfDay.values()], missing, (price) => {
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

/** Before prices of one coin, quality and source stands a comment that says these. */
function textOf(
  prices: readonly LedgerPrice[],
  missing: readonly string[],
  line: (price: LedgerPrice) => string,
): string {
  const lines = missing.map(comment);
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
