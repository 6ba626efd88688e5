import type { ComponentChildren } from 'preact';
import { Bone, CoinLink } from '../app/parts.tsx';
import type { NamedCoin } from '../app/stored.ts';

export interface Column<Row> {
  /** Its class: columns give way from the right as the table gets narrow; the coin never does. */
  readonly name: string;
  readonly title: ComponentChildren;
  /** What the service sorts the list by after a click on the title. */
  readonly order?: ListOrder;
  /** Undefined while there is nothing to show yet; of a row with a problem nothing more will come. */
  readonly cell: (row: Row) => ComponentChildren;
}

export type ListOrder = 'rank' | 'volume' | 'change_24h';
const sortedAs = { rank: 'ascending', volume: 'descending', change_24h: 'descending' } as const;

export interface CoinRow extends NamedCoin {
  /** Behind the symbol. */
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
  /** How many rows there will be. */
  readonly expected: number;
  readonly order?: ListOrder | undefined;
  readonly onOrder?: (order: ListOrder) => void;
}

/** The column that each table has, and that names its rows. */
export const coinColumn = { name: 'coin', title: 'Coin', cell: () => null } as const;

/** Coins with what the columns say of them. Every row is as high while it is empty, so that nothing moves. */
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
