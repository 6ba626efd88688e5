/** The gate for what is told of tokens. Apart from that of `gated.ts`, which every route carries. */
import { count } from '../../platform/metrics.ts';
import type { Offering } from '../provider.ts';
import type { Contract, TokenHistory, TokenPrice } from '../sources/token.ts';
import { tokenKey } from '../sources/token-name.ts';
import { FIRST_TIME, isPrice, MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { checked } from './gated.ts';
import { Implausible, type Reason } from './implausible.ts';

const TOLERATED_SHARE = 0.1;
const MAX_TEXT_LENGTH = 200;

/** A provider of token prices, with all of them passing the gate. */
export function gatedTokens(
  provider: Offering<'tokenPrices' | 'tokenHistory'>,
): Offering<'tokenPrices' | 'tokenHistory'> {
  return {
    ...provider,
    tokenPrices: (tokens) =>
      checked(provider.tokenPrices(tokens), 'these token prices', (prices) => plausibleTokenPrices(prices)),
    tokenHistory: (tokens, window) =>
      checked(provider.tokenHistory(tokens, window), 'this history', (histories) =>
        histories.map((history) => plausibleTokenHistory(history)),
      ),
  };
}

/** A provider that lists contracts, with these passing the gate. */
export function gatedContracts(
  provider: Offering<'platforms' | 'contracts'>,
): Offering<'platforms' | 'contracts'> {
  return {
    ...provider,
    contracts: (platform) =>
      checked(provider.contracts(platform), 'this list of contracts', plausibleContracts),
  };
}

/**
 * The prices without those that are impossible. Throws Implausible if these are several and a tenth, and if one token has two prices.
 */
function plausibleTokenPrices(prices: readonly TokenPrice[], now = Date.now()): readonly TokenPrice[] {
  if (new Set(prices.map(({ token }) => tokenKey(token))).size < prices.length)
    throw new Implausible('Identity', 'a token twice');
  return withoutImpossible(prices, ({ price, at, confidence }) => {
    if (!isPrice(price)) return ['Price', `a price of ${price}`];
    if (!(confidence >= 0 && confidence <= 1)) return ['Price', `a confidence of ${confidence}`];
    return isTime(at, now) ? undefined : ['Time', `a time of ${at / 1000} s`];
  });
}

/** The history without the points that are impossible, ascending. Throws Implausible if these are several and a tenth. */
function plausibleTokenHistory(history: TokenHistory, now = Date.now()): TokenHistory {
  const { token, prices } = history;
  const possible = withoutImpossible(prices, ({ price, at }) => {
    if (!isPrice(price)) return ['Price', `a price of ${price} of ${token}`];
    return isTime(at, now) ? undefined : ['Time', `a time of ${at / 1000} s of ${token}`];
  });
  return { ...history, prices: possible.toSorted((a, b) => a.at - b.at) };
}

/** The contracts without those that nobody could ask for. Throws Implausible if these are several and a tenth. */
function plausibleContracts(contracts: readonly Contract[]): readonly Contract[] {
  return withoutImpossible(contracts, ({ coinId, address }) => {
    const isShort = [coinId, address].every(
      (text) => text.trim() !== '' && text.length <= MAX_TEXT_LENGTH && text.isWellFormed(),
    );
    return isShort ? undefined : ['Text', `a contract ${JSON.stringify(address.slice(0, 100))}`];
  });
}

/** A time that was given in milliseconds instead of seconds lies in the far future. */
function isTime(at: number, now: number): boolean {
  return at >= FIRST_TIME && at <= now + MAX_CLOCK_LEAD_MS;
}

function withoutImpossible<Row>(
  rows: readonly Row[],
  problemOf: (row: Row) => readonly [Reason, string] | undefined,
): readonly Row[] {
  const problems = rows.map(problemOf);
  const bad = problems.filter((problem) => problem !== undefined);
  const [first] = bad;
  if (!first) return rows;
  const areMany = bad.length > 1 && bad.length >= rows.length * TOLERATED_SHARE;
  if (areMany || bad.length === rows.length) throw new Implausible(...first);
  count(`Implausible${first[0]}`, bad.length);
  return rows.filter((_row, index) => problems[index] === undefined);
}
