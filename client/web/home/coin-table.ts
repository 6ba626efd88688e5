import type { Conversion } from '../../commands/currency/conversion.ts';
import { element } from '../dom.ts';
import { type CoinRow, createRow, type ListedCoin, type Prices } from './coin-row.ts';

export interface CoinTable {
  readonly element: HTMLElement;
  /** The coins in their order, with the prices of a week by id, of those that have some. */
  update(
    coins: readonly ListedCoin[],
    prices: ReadonlyMap<string, Prices>,
    conversion: Conversion | undefined,
  ): void;
}

const HEADINGS = [
  ['rank', '#'],
  ['coin', 'Coin'],
  ['price-cell', 'Price'],
  ['hour', '1h'],
  ['day', '24h'],
  ['week', '7d'],
  ['line-cell', '7 days'],
] as const;

/** The largest coins as a table of `size` rows, which are as high while they are empty as with coins. */
export function createCoinTable(size: number, openChart: (id: string) => void): CoinTable {
  const body = element('tbody');
  const table = element(
    'table',
    { class: 'coins', 'aria-busy': 'true' },
    element('caption', { class: 'visually-hidden' }, `The ${size} largest coins by market cap`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...HEADINGS.map(([name, text]) => element('th', { scope: 'col', class: name }, text)),
      ),
    ),
    body,
  );
  const spare: CoinRow[] = Array.from({ length: size }, () => createRow(openChart));
  let rows = new Map<string, CoinRow>();
  body.append(...spare.map((row) => row.element));

  return {
    element: table,
    update(coins, prices, conversion) {
      table.removeAttribute('aria-busy');
      const gone = [...rows].filter(([id]) => !coins.some((coin) => coin.id === id)).map(([, row]) => row);
      const free = [...spare.splice(0), ...gone];
      // A coin keeps its row, and with it the focus, when its rank changes.
      rows = new Map(
        coins.map((coin) => [coin.id, rows.get(coin.id) ?? free.shift() ?? createRow(openChart)]),
      );
      for (const row of free) row.element.remove();
      for (const [index, coin] of coins.entries()) {
        const row = rows.get(coin.id);
        if (!row) continue;
        row.update(coin, prices.get(coin.id), conversion);
        place(row.element, index);
      }
    },
  };

  function place(row: HTMLElement, index: number): void {
    const there = body.children[index];
    if (there === row) return;
    const focused = document.activeElement;
    body.insertBefore(row, there ?? null);
    if (focused instanceof HTMLElement && row.contains(focused)) focused.focus(); // moving takes it away
  }
}
