/** The file with watchlist and holdings, which the page and the terminal programs both write and read. */

export interface Holding {
  readonly id: string;
  /** Decimal digits as text, so that nothing is rounded: `0.25`. */
  readonly amount: string;
  /** The cost of the whole holding, in `currency`; undefined if unknown. */
  readonly cost?: string | undefined;
  /** The currency of the cost: a code of three letters; US dollars by default. */
  readonly currency?: string | undefined;
}

export interface PortfolioFile {
  /** Ids of coins. */
  readonly watchlist: readonly string[];
  readonly holdings: readonly Holding[];
}

/** The most holdings that one valuation accepts. */
export const MAX_HOLDINGS = 200;
const MAX_COINS = 500;
const DECIMAL = /^\d{1,31}(\.\d{1,64})?$/;

/** Whether a text is a decimal in the service's format: digits, optionally with a point. */
export function isDecimal(text: unknown): text is string {
  return typeof text === 'string' && DECIMAL.test(text);
}

/** Whether a text is an amount: a decimal above 0. */
export function isAmount(text: unknown): text is string {
  return isDecimal(text) && /[1-9]/.test(text);
}

export function portfolioText({ watchlist, holdings }: PortfolioFile): string {
  return `${JSON.stringify({ version: 1, watchlist, holdings }, null, 2)}\n`;
}

/** Parses the file. Throws an Error that says what is wrong; then nothing is imported. */
export function portfolioIn(text: string): PortfolioFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON. Choose a file that was exported from a portfolio.');
  }
  const { version, watchlist = [], holdings = [] } = isObject(value) ? value : {};
  if (version !== 1) throw new Error('The file is not an exported portfolio: "version" is not 1.');
  const held = holdingsIn(holdings, MAX_HOLDINGS);
  return {
    watchlist: watchlistIn(watchlist),
    holdings: held.map(({ id, amount, cost, currency }) => ({
      id,
      amount,
      ...(cost !== undefined && { cost, currency: currency?.toUpperCase() }),
    })),
  };
}

/** Throws an Error that names the wrong value. */
export function watchlistIn(value: unknown): readonly string[] {
  const ids = listIn(value, 'watchlist', MAX_COINS);
  for (const [index, id] of ids.entries()) checkId(id, `watchlist[${index}]`);
  checkOnce(ids, 'watchlist');
  return ids as readonly string[]; // checked above
}

/** Unknown fields are kept. Throws an Error that names the wrong field. */
export function holdingsIn(value: unknown, most = MAX_COINS): readonly Holding[] {
  const all = listIn(value, 'holdings', most).map((holding, index) => {
    const where = `holdings[${index}]`;
    if (!isObject(holding)) throw wrong(where, 'must be an object', holding);
    const { id, amount, cost, currency } = holding;
    checkId(id, `${where}.id`);
    if (!isAmount(amount))
      throw wrong(`${where}.amount`, 'must be a decimal above 0 in quotes, such as "0.5"', amount);
    if (cost !== undefined && !isDecimal(cost))
      throw wrong(`${where}.cost`, 'must be a decimal in quotes, such as "30000"', cost);
    if (currency !== undefined) checkCurrency(currency, `${where}.currency`);
    return holding;
  });
  checkOnce(
    all.map(({ id }) => id),
    'holdings',
  );
  return all as unknown as readonly Holding[]; // checked above
}

export function checkCurrency(value: unknown, where: string): asserts value is string {
  if (typeof value !== 'string' || !/^[a-z]{3}$/i.test(value))
    throw wrong(where, 'must be the three letters of a currency, such as "eur"', value);
}

/** The error for a field's value. */
export function wrong(where: string, wanted: string, value: unknown): Error {
  const text = JSON.stringify(value) ?? 'nothing';
  return new Error(`"${where}" ${wanted}, not ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkId(value: unknown, where: string): void {
  if (typeof value !== 'string' || !/^[^\s,]{1,200}$/.test(value))
    throw wrong(where, 'must be the id of a coin, such as "btc-bitcoin"', value);
}

function listIn(value: unknown, where: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(where, 'must be a list', value);
  if (value.length > most) throw new Error(`"${where}" has ${value.length} items; at most ${most}`);
  return value;
}

function checkOnce(ids: readonly unknown[], where: string): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`"${where}" has ${JSON.stringify(twice)} twice`);
}
