/** The charts that stand side by side. The address has them; what the reader changes changes the address. */
import { computed, signal } from '@preact/signals';
import { type Coin, coinTitle } from '../../commands/coins.ts';
import { plainText } from '../../commands/format/text.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import { coinNamed } from '../../commands/run.ts';
import { go, paths, view } from '../app/router.ts';
import { announce, context, notify } from '../app/session.ts';
import { type DashboardItem, hashOf, MAX_COMPARED, readAddress } from '../chart/dashboard.ts';
import { type ChartRequest, keyOf, nameOf } from '../chart/request.ts';
import { rememberCoin } from '../search/coin-search.ts';

export const cards = signal<readonly ChartRequest[]>([]);
/** Why parts of the address are not shown. */
export const remarks = signal<readonly string[]>([]);
/** How many charts of the address are still looked up. */
export const expected = signal(0);

export const chartsPath = computed(() =>
  cards.value.length === 0 ? paths.charts : `/${hashOf(cards.value)}`,
);

/** By what they were typed as, in lower case. */
const knownCoins = new Map<string, Coin>();
/** At a time: an address with many coins leaves room for other requests. */
const AT_A_TIME = 4;
let turn = 0;

/**
 * Shows the charts of an address. What cannot be looked up is explained, and nothing is taken away for it; resolves to the
 * failure if another attempt may succeed.
 */
export async function openAddress(hash: string): Promise<FailureResult | undefined> {
  turn += 1;
  const own = turn;
  if (hash === '' || hash === hashOf(cards.peek())) return undefined;
  const { items, remarks: texts } = readAddress(hash);
  expected.value = items.length;
  const failures = await lookUp(items.flatMap(symbolsOf));
  if (own !== turn) return undefined; // gone elsewhere meanwhile
  const found = uniqueRequests(items);
  expected.value = 0;
  const passing = failures.find((failure) => !isUnknown(failure));
  remarks.value = [...failures.filter(isUnknown).map(({ lines }) => plainText(lines.slice(0, 1))), ...texts];
  if (found.length > 0) cards.value = found;
  if (!passing && view.peek().name === 'charts') go(chartsPath.peek(), true);
  return passing;
}

/** Resolves to the failures, of those that another attempt may mend only one. */
async function lookUp(symbols: readonly string[]): Promise<FailureResult[]> {
  const names = [...new Set(symbols.map((symbol) => symbol.toLowerCase()))];
  const unknown = names.filter((name) => !knownCoins.has(name));
  const failures: FailureResult[] = [];
  while (unknown.length > 0 && failures.every(isUnknown)) {
    const some = unknown.splice(0, AT_A_TIME);
    const answers = await Promise.all(some.map((name) => coinNamed(name, context)));
    for (const [index, answer] of answers.entries()) {
      if ('kind' in answer) failures.push(answer);
      else knownCoins.set(some[index] ?? answer.id, answer);
    }
  }
  const [other] = failures.filter((failure) => !isUnknown(failure));
  return [...failures.filter(isUnknown), ...(other ? [other] : [])];
}

/** The coin does not exist; after any other failure the same question may be answered later. */
function isUnknown({ reason }: FailureResult): boolean {
  return reason === 'not-found' || reason === 'usage';
}

function symbolsOf({ command: { symbol, compare } }: DashboardItem): readonly string[] {
  return [symbol, ...compare];
}

/** The charts whose coins are known, each once. */
function uniqueRequests(items: readonly DashboardItem[]): readonly ChartRequest[] {
  const requests = items.flatMap((item): ChartRequest[] => {
    const { symbol, compare } = item.command;
    const coin = knownCoins.get(symbol.toLowerCase());
    if (!coin) return [];
    const others = compare.flatMap((typed) => {
      const other = knownCoins.get(typed.toLowerCase());
      return other && other.id !== coin.id ? [{ other, name: nameOf(other, typed) }] : [];
    });
    const unique = others.filter(
      ({ other }, at) => others.findIndex((each) => each.other.id === other.id) === at,
    );
    const command = {
      ...item.command,
      symbol: nameOf(coin, symbol),
      compare: unique.map(({ name }) => name),
    };
    return [{ ...item, coin, compared: unique.map(({ other }) => other), command }];
  });
  const keys = requests.map(keyOf);
  return requests.filter((_request, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Adds the chart of a command, unless it is there, and shows the charts. */
export function addChart({ coin, command, compared }: ChartResult): 'added' | 'there' {
  const others = compared.slice(0, MAX_COMPARED).map((each) => each.coin);
  const request: ChartRequest = {
    coin,
    compared: others,
    isLogarithmic: false,
    command: {
      ...command,
      symbol: nameOf(coin, command.symbol),
      compare: others.map((each, index) => nameOf(each, command.compare[index] ?? '')),
      currency: undefined, // all charts have the page's
    },
  };
  rememberCoin(coin);
  const isThere = cards.peek().some((each) => keyOf(each) === keyOf(request));
  if (isThere) go(chartsPath.peek());
  else show([...cards.peek(), request]);
  return isThere ? 'there' : 'added';
}

/** Another look, time or comparison of the chart at a place; another time is a step that the back button undoes. */
export function changeChart(index: number, next: ChartRequest): void {
  const before = cards.peek()[index] ?? next;
  const isRefinement = keyOf({ ...next, compared: [] }) === keyOf({ ...before, compared: [] });
  show(cards.peek().with(index, next), isRefinement);
}

export function removeChart(index: number): void {
  const before = cards.peek();
  const gone = before[index];
  if (!gone) return;
  show(before.toSpliced(index, 1));
  notify(`${coinTitle(gone.coin)} removed`, () => show(before));
}

export function moveChart(from: number, to: number): void {
  const all = cards.peek();
  const moved = all[from];
  if (!moved || from === to || to < 0 || to >= all.length) return;
  show(all.toSpliced(from, 1).toSpliced(to, 0, moved), true);
  announce(`${coinTitle(moved.coin)} moved to place ${to + 1} of ${all.length}`);
}

function show(next: readonly ChartRequest[], isRefinement = false): void {
  for (const { coin, compared, command } of next) {
    knownCoins.set(command.symbol.toLowerCase(), coin);
    for (const [index, other] of compared.entries())
      knownCoins.set((command.compare[index] ?? other.id).toLowerCase(), other);
  }
  cards.value = next;
  remarks.value = [];
  go(chartsPath.peek(), isRefinement);
}
