import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { toneOf } from '../../commands/format/price.ts';
import type { MarketdataTickerData, Quality } from '../../sdk/index.ts';
import { Amount, Bone, Change, CoinLink, Price } from '../app/parts.tsx';
import { api } from '../app/session.ts';
import { Star } from './keeps.tsx';
import { pathOf } from './sparkline.ts';

export interface CoinRow {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Undefined while it is loaded, and of a coin that has none. */
  readonly ticker?: MarketdataTickerData | undefined;
  readonly quality?: Quality | undefined;
  /** Why there is no ticker. */
  readonly problem?: string | undefined;
}

export type ListSort = 'rank' | 'volume' | 'change_24h';

interface CoinTableProps {
  readonly caption: string;
  /** Undefined: not loaded yet. */
  readonly rows: readonly CoinRow[] | undefined;
  /** How many rows there will be. */
  readonly expected: number;
  readonly sort?: ListSort;
  readonly onSort?: (sort: ListSort) => void;
  readonly isOld: boolean;
}

/** Coins with their prices. Columns give way from the right as the table gets narrow; the name never does. */
export function CoinTable({ caption, rows, expected, sort, onSort, isOld }: CoinTableProps) {
  const sparklines = useSparklines(rows?.map(({ id }) => id) ?? []);
  const heading = (name: string, text: string, order?: ListSort) => (
    <th scope="col" class={name} aria-sort={order && order === sort ? sortedAs[order] : undefined}>
      {order && onSort ? (
        <button type="button" onClick={() => onSort(order)}>
          {text}
        </button>
      ) : (
        text
      )}
    </th>
  );
  return (
    <table class={`coins ${isOld ? 'old' : ''}`} aria-busy={rows === undefined}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col" class="star-cell">
            <span class="visually-hidden">Watchlist</span>
          </th>
          {heading('rank', '#', 'rank')}
          {heading('coin', 'Coin')}
          {heading('price', 'Price')}
          {heading('hour', '1h')}
          {heading('day', '24h', 'change_24h')}
          {heading('week', '7d')}
          {heading('cap', 'Market cap', 'rank')}
          {heading('volume', 'Volume 24h', 'volume')}
          {heading('spark', '7 days')}
        </tr>
      </thead>
      <tbody>
        {rows
          ? rows.map((row) => <Row key={row.id} row={row} prices={sparklines.get(row.id)} />)
          : Array.from({ length: expected }, (_, index) => <EmptyRow key={index} />)}
      </tbody>
    </table>
  );
}

const sortedAs = { rank: 'ascending', volume: 'descending', change_24h: 'descending' } as const;
const notes: Readonly<Partial<Record<Quality, string>>> = { disputed: 'disputed', stale: 'old' };

function Row({ row, prices }: { readonly row: CoinRow; readonly prices: Prices | undefined }) {
  const { ticker, quality, problem } = row;
  const usd = ticker?.quotes.USD;
  const cell = (name: string, content: ComponentChildren) => (
    <td class={name}>{usd ? content : problem ? '–' : <Bone />}</td>
  );
  return (
    <tr>
      <td class="star-cell">
        <Star coin={row} />
      </td>
      <td class="rank">{ticker?.rank ?? ''}</td>
      <th scope="row" class="coin">
        <CoinLink coin={row} note={problem ? 'no price' : quality && notes[quality]} />
      </th>
      <td class="price">
        {usd ? <Price usd={usd.price} /> : problem ? <span title={problem}>–</span> : <Bone />}
        {usd && (
          <span class="below">
            <Change percent={usd.percent_change_24h} />
          </span>
        )}
      </td>
      {cell('hour', usd && <Change percent={usd.percent_change_1h} />)}
      {cell('day', usd && <Change percent={usd.percent_change_24h} />)}
      {cell('week', usd && <Change percent={usd.percent_change_7d} />)}
      {cell('cap', usd && <Amount usd={usd.market_cap} />)}
      {cell('volume', usd && <Amount usd={usd.volume_24h} />)}
      <td class="spark">
        {prices && usd ? <Sparkline prices={prices} change={usd.percent_change_7d} /> : null}
      </td>
    </tr>
  );
}

/** As high as a row with a coin, so that nothing moves when that comes. */
function EmptyRow() {
  return (
    <tr>
      <td class="star-cell" />
      <td class="rank">
        <Bone />
      </td>
      <th scope="row" class="coin">
        <span class="coin-link">
          <span class="monogram bone" />
          <span class="names">
            <Bone wide />
          </span>
        </span>
      </th>
      {['price', 'hour', 'day', 'week', 'cap', 'volume', 'spark'].map((name) => (
        <td key={name} class={name}>
          <Bone />
        </td>
      ))}
    </tr>
  );
}

type Prices = readonly (number | null)[];

interface SparklineProps {
  readonly prices: Prices;
  readonly change: number | null;
}

/** Prices on an even grid as a small line; decoration, since the change stands beside it in words. */
function Sparkline({ prices, change }: SparklineProps) {
  return (
    <svg
      class={`sparkline ${toneOf(change) ?? 'muted'}`}
      viewBox="0 0 100 32"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={pathOf(prices)} />
    </svg>
  );
}

const MAX_ASKED = 100;
/** A week of prices changes little in that time. */
const LIFETIME_MS = 1_800_000;
const known = signal<ReadonlyMap<string, Prices>>(new Map());
const askedAt = new Map<string, number>();

/** A week of prices of coins, each fetched once in half an hour. */
function useSparklines(ids: readonly string[]): ReadonlyMap<string, Prices> {
  useEffect(() => {
    const missing = ids.filter((id) => Date.now() - (askedAt.get(id) ?? 0) > LIFETIME_MS);
    for (let from = 0; from < missing.length; from += MAX_ASKED)
      void fetchSparklines(missing.slice(from, from + MAX_ASKED));
  }, [ids.join()]);
  return known.value;
}

async function fetchSparklines(ids: readonly string[]): Promise<void> {
  for (const id of ids) askedAt.set(id, Date.now());
  try {
    const { data } = await api.sparklines({ ids });
    const found = data.coins.flatMap((coin): [string, Prices][] =>
      'prices' in coin ? [[coin.id, coin.prices]] : [],
    );
    known.value = new Map([...known.peek(), ...found]);
  } catch {
    for (const id of ids) askedAt.delete(id); // with the next change of the list
  }
}
