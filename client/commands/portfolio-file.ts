/** The file with watchlist and holdings that the page and the terminal programs both write and read. */

export interface Holding {
  readonly id: string;
  /** A decimal number, such as `0.25`. */
  readonly amount: string;
  /** What all of it cost, in `currency`; undefined if that is not known. */
  readonly cost?: string | undefined;
  /** Of the cost: a code of three letters; US dollars unless given. */
  readonly currency?: string | undefined;
}

export interface PortfolioFile {
  /** Ids of coins. */
  readonly watchlist: readonly string[];
  readonly holdings: readonly Holding[];
}

/** As many as one valuation takes. */
export const MAX_HOLDINGS = 200;
const MAX_WATCHED = 500;
const AMOUNT = /^\d{1,31}(\.\d{1,64})?$/;

/** Whether a text is an amount as the service takes it: digits, with a point if need be. */
export function isAmount(text: unknown): text is string {
  return typeof text === 'string' && AMOUNT.test(text) && Number(text) > 0;
}

export function portfolioText({ watchlist, holdings }: PortfolioFile): string {
  return `${JSON.stringify({ version: 1, watchlist, holdings }, null, 2)}\n`;
}

/** Reads the file. Throws an Error that says what is wrong with it; nothing of it is taken then. */
export function portfolioIn(text: string): PortfolioFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON. It has to be one that the portfolio was exported to.');
  }
  const { version, watchlist = [], holdings = [] } = fieldsOf(value);
  if (version !== 1) throw new Error('The file is no exported portfolio: "version" is not 1.');
  if (!Array.isArray(watchlist) || watchlist.length > MAX_WATCHED || !watchlist.every(isId))
    throw new Error(
      `"watchlist" has to be a list of at most ${MAX_WATCHED} coin ids, such as "btc-bitcoin".`,
    );
  if (!Array.isArray(holdings) || holdings.length > MAX_HOLDINGS)
    throw new Error(`"holdings" has to be a list of at most ${MAX_HOLDINGS} objects.`);
  return { watchlist: [...new Set<string>(watchlist)], holdings: holdings.map(holdingIn) };
}

function holdingIn(value: unknown, index: number): Holding {
  const { id, amount, cost, currency } = fieldsOf(value);
  const where = `Holding ${index + 1} of the file`;
  if (!isId(id)) throw new Error(`${where} has no "id", such as "btc-bitcoin".`);
  if (!isAmount(amount)) throw new Error(`${where} (${id}) needs an "amount" such as "0.25", as a text.`);
  if (cost !== undefined && !isAmount(cost))
    throw new Error(`${where} (${id}) has a "cost" that is no amount such as "15000", as a text.`);
  if (currency !== undefined && !(typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency)))
    throw new Error(`${where} (${id}) has a "currency" that is no code of three letters such as "EUR".`);
  if (cost === undefined) return { id, amount };
  return { id, amount, cost, ...(currency !== undefined && { currency: currency.toUpperCase() }) };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
