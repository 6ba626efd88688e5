import type { ComponentChildren } from 'preact';
import { Bone, CoinLink } from '../app/parts.tsx';
import type { NamedCoin } from '../app/stored.ts';

export interface Column<Row> {
  /** The column's class: columns disappear from the right as the table narrows; the coin never does. */
  readonly name: string;
  readonly title: ComponentChildren;
  /** The sort order of the list after a click on the title. */
  readonly order?: ListOrder;
  /** Undefined while it is loading; for a row with a problem it stays empty. */
  readonly cell: (row: Row) => ComponentChildren;
}

export type ListOrder = 'rank' | 'volume' | 'change_24h';
const sortedAs = { rank: 'ascending', volume: 'descending', change_24h: 'descending' } as const;

export interface CoinRow extends NamedCoin {
  /** A note after the symbol. */
  readonly note?: string | undefined;
  /** Why there is no price. */
  readonly problem?: string | undefined;
}

interface CoinTableProps<Row> {
  readonly class?: string;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined: not loaded yet. */
  readonly rows: readonly Row[] | undefined;
  /** How many rows to expect. */
  readonly expected: number;
  readonly order?: ListOrder | undefined;
  readonly onOrder?: (order: ListOrder) => void;
}

/** The first column of each table, which labels its rows. */
export const coinColumn = { name: 'coin', title: 'Coin', cell: () => null } as const;

/** A table of coins. Empty rows have the full height, so nothing moves when data arrives. */
export function CoinTable<Row extends CoinRow>(props: CoinTableProps<Row>) {
  const { class: own = '', caption, columns, rows, expected, order, onOrder } = props;
  const sortedBy = columns.find(({ order: by }) => by !== undefined && by === order); // rank and market cap are one order
  return (
    <table class={`coins ${own}`} aria-busy={rows === undefined}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, title, order: by }) => (
            <th scope="col" class={name} aria-sort={by && name === sortedBy?.name ? sortedAs[by] : undefined}>
              {by && onOrder ? (
                <button type="button" onClick={() => onOrder(by)}>
                  {title}
                </button>
              ) : (
                title
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(rows ?? Array.from({ length: expected }, () => undefined)).map((row, index) => (
          <tr key={row?.id ?? index}>
            {columns.map((column) =>
              column.name === 'coin' ? (
                <th scope="row" class="coin">
                  {row ? <CoinLink coin={row} note={row.problem ? 'no price' : row.note} /> : <EmptyCoin />}
                </th>
              ) : (
                <td class={column.name} title={row?.problem}>
                  {(row && column.cell(row)) ?? (row?.problem ? '–' : <Bone />)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function EmptyCoin() {
  return (
    <span class="coin-link">
      <span class="monogram bone" />
      <span class="names">
        <Bone wide />
      </span>
    </span>
  );
}
