/** What the reader keeps in this browser: starred coins and holdings, and the file that both go into. */
import { computed } from '@preact/signals';
import { clean } from '../../commands/format/text.ts';
import { type Holding, isAmount, portfolioIn, portfolioText } from '../../commands/portfolio-file.ts';
import { Glyph, type NamedCoin } from '../app/parts.tsx';
import { announce, notify } from '../app/session.ts';
import { fieldsOf, storedSignal, textOf } from '../app/stored.ts';

/** A kept coin with its names, so that it can be shown before the service answers. */
export type Watched = NamedCoin;
export interface Held extends NamedCoin {
  readonly amount: string;
  readonly cost?: string | undefined;
  /** Of the cost, in capitals. */
  readonly currency?: string | undefined;
}

export const watchlist = storedSignal(
  () => localStorage,
  'marketdata.watchlist',
  (value): readonly Watched[] => listOf(value).flatMap((each) => coinIn(each) ?? []),
);
export const holdings = storedSignal(
  () => localStorage,
  'marketdata.holdings',
  (value): readonly Held[] => listOf(value).flatMap((each) => heldIn(each) ?? []),
);

const starred = computed(() => new Set(watchlist.value.map(({ id }) => id)));

export function Star({ coin }: { readonly coin: NamedCoin }) {
  const isOn = starred.value.has(coin.id);
  const name = clean(coin.name);
  return (
    <button
      type="button"
      class="icon star"
      aria-pressed={isOn}
      aria-label={`${name} in the watchlist`}
      title={isOn ? 'Remove from the watchlist' : 'Add to the watchlist'}
      onClick={() => toggleStar(coin)}
    >
      <Glyph name="star" />
    </button>
  );
}

function toggleStar({ id, name, symbol }: NamedCoin): void {
  const before = watchlist.peek();
  const isOn = starred.peek().has(id);
  watchlist.value = isOn ? before.filter((coin) => coin.id !== id) : [...before, { id, name, symbol }];
  if (isOn)
    notify(`${clean(name)} removed from the watchlist`, () => {
      watchlist.value = before;
    });
  else announce(`${clean(name)} added to the watchlist`);
}

/** Watchlist and holdings as one file, which `marketdata config import` reads too. */
export function exportText(): string {
  return portfolioText({
    watchlist: watchlist.peek().map(({ id }) => id),
    holdings: holdings
      .peek()
      .map(({ id, amount, cost, currency }): Holding => ({ id, amount, cost, currency })),
  });
}

/** Takes over a file in place of what is kept; what was kept can be taken back. Throws an Error that says what is wrong. */
export function importText(text: string): void {
  const file = portfolioIn(text);
  const before = { watched: watchlist.peek(), held: holdings.peek() };
  const named = new Map([...before.watched, ...before.held].map((coin) => [coin.id, coin]));
  const coinOf = (id: string): NamedCoin => ({
    id,
    name: named.get(id)?.name ?? id,
    symbol: named.get(id)?.symbol ?? '',
  });
  watchlist.value = file.watchlist.map(coinOf);
  holdings.value = file.holdings.map((holding) => ({ ...coinOf(holding.id), ...holding }));
  notify(`Imported ${file.holdings.length} holdings and ${file.watchlist.length} watched coins`, () => {
    watchlist.value = before.watched;
    holdings.value = before.held;
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function coinIn(value: unknown): Watched | undefined {
  const { id, name, symbol } = fieldsOf(value);
  const known = textOf(id);
  return known === undefined
    ? undefined
    : { id: known, name: textOf(name) ?? known, symbol: textOf(symbol) ?? '' };
}

function heldIn(value: unknown): Held | undefined {
  const { amount, cost, currency } = fieldsOf(value);
  const coin = coinIn(value);
  if (!coin || !isAmount(amount)) return undefined;
  return { ...coin, amount, ...(isAmount(cost) && { cost, currency: textOf(currency) ?? 'USD' }) };
}
