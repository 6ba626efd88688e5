/** The charts side by side. The address holds them; changes by the reader change the address. */
import { computed, signal } from '@preact/signals';
import { type Coin, coinTitle } from '../../commands/coins.ts';
import { plainText } from '../../commands/format/text.ts';
import { maxCompared } from '../../commands/parse/table.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import { coinNamed } from '../../commands/run.ts';
import { go, paths, view } from '../app/router.ts';
import { rememberCoin } from '../app/search.tsx';
import { announce, context, notify } from '../app/session.ts';
import { type AddressChart, type ChartRequest, chartsIn, hashOf, keyOf } from './address.ts';

export const cards = signal<readonly ChartRequest[]>([]);
/** Why parts of the address are not shown. */
export const remarks = signal<readonly string[]>([]);
export const chartsPath = computed(() =>
  cards.value.length === 0 ? paths.charts : `/${hashOf(cards.value)}`,
);

/** Coins by the typed text in lower case. */
const knownCoins = new Map<string, Coin>();
/** Parallel look-ups: an address with many coins leaves room for other requests. */
const AT_A_TIME = 4;

/**
 * Shows the charts of an address. Coins that cannot be looked up are explained, and existing charts stay; resolves to
 * the failure if a retry may succeed.
 */
export async function openAddress(hash: string): Promise<FailureResult | undefined> {
  if (hash === '' || hash === hashOf(cards.peek())) return undefined;
  const isThere = () => {
    const shown = view.peek();
    return shown.name === 'charts' && shown.hash === hash;
  };
  const { charts, remarks: texts } = chartsIn(hash);
  const { requests, failures } = await requestsOf(charts);
  if (!isThere()) return undefined; // the reader has left meanwhile
  const passing = failures.find((failure) => !isUnknown(failure));
  remarks.value = [...failures.filter(isUnknown).map(({ lines }) => plainText(lines.slice(0, 1))), ...texts];
  if (requests.length > 0) cards.value = requests;
  if (!passing) go(chartsPath.peek(), true);
  return passing;
}

/** The charts whose coins exist, without duplicates, and why others are missing. */
export async function requestsOf(charts: readonly AddressChart[]) {
  const names = new Map(charts.flatMap((chart) => chart.names.map((name) => [name.toLowerCase(), name])));
  const unknown = [...names].filter(([name]) => !knownCoins.has(name));
  const failures: FailureResult[] = [];
  while (unknown.length > 0 && failures.every(isUnknown)) {
    const some = unknown.splice(0, AT_A_TIME);
    await Promise.all(
      some.map(async ([name, typed]) => {
        const answer = await coinNamed(typed, context);
        if ('kind' in answer) failures.push(answer);
        else knownCoins.set(name, answer);
      }),
    );
  }
  const requests = new Map<string, ChartRequest>();
  for (const chart of charts) {
    const request = requestOf(chart);
    if (request && !requests.has(keyOf(request))) requests.set(keyOf(request), request);
  }
  return { requests: [...requests.values()], failures };
}

/** The coin does not exist; after any other failure the same look-up may succeed later. */
function isUnknown({ reason }: FailureResult): boolean {
  return reason === 'not-found' || reason === 'usage';
}

/** A symbol that finds the coin stays in the address; otherwise its id is used. */
function requestOf(chart: AddressChart): ChartRequest | undefined {
  const coins = new Map<string, Coin>();
  for (const [index, typed] of chart.names.entries()) {
    const coin = knownCoins.get(typed.toLowerCase());
    if (!coin && index === 0) return undefined;
    if (!coin || [...coins.values()].some(({ id }) => id === coin.id)) continue;
    coins.set(typed.toLowerCase() === coin.symbol.toLowerCase() ? coin.symbol : coin.id, coin);
  }
  const [coin, ...compared] = coins.values();
  return coin && { ...chart, names: [...coins.keys()], coin, compared };
}

function remember(names: readonly string[], coins: readonly Coin[]): void {
  for (const [index, coin] of coins.entries()) knownCoins.set((names[index] ?? coin.id).toLowerCase(), coin);
}

/** Adds a command's chart, unless it is already shown, and shows the charts. */
export function addChart({ coin, command, compared }: ChartResult): 'added' | 'there' {
  const { symbol, compare, style, range } = command;
  const others = compared.map((each) => each.coin).slice(0, maxCompared);
  const names = [symbol, ...compare].slice(0, 1 + maxCompared);
  remember(names, [coin, ...others]);
  const request = requestOf({ names, ...(style && { style }), range });
  rememberCoin(coin);
  if (!request) return 'there';
  const isThere = cards.peek().some((each) => keyOf(each) === keyOf(request));
  if (isThere) go(chartsPath.peek());
  else show([...cards.peek(), request]);
  return isThere ? 'there' : 'added';
}

/** Changes the look, range or comparison of the chart at an index; the back button undoes a change of range. */
export function changeChart(index: number, next: ChartRequest): void {
  const before = cards.peek()[index] ?? next;
  const isRefinement = keyOf({ ...next, compared: [] }) === keyOf({ ...before, compared: [] });
  show(cards.peek().with(index, next), isRefinement);
}

export function removeChart(index: number): void {
  const before = cards.peek();
  const [gone] = before.slice(index);
  show(before.toSpliced(index, 1));
  if (gone) notify(`${coinTitle(gone.coin)} removed`, () => show(before));
}

export function moveChart(from: number, to: number): void {
  const all = cards.peek();
  const [moved] = all.slice(from);
  if (!moved || from === to || to < 0 || to >= all.length) return;
  show(all.toSpliced(from, 1).toSpliced(to, 0, moved), true);
  announce(`${coinTitle(moved.coin)} moved to place ${to + 1} of ${all.length}`);
}

function show(next: readonly ChartRequest[], isRefinement = false): void {
  for (const { coin, compared, names } of next) remember(names, [coin, ...compared]);
  cards.value = next;
  remarks.value = [];
  go(chartsPath.peek(), isRefinement);
}
