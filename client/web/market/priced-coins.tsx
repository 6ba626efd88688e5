import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { toneOf } from '../../commands/format/numbers.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { MarketdataTickerData } from '../../sdk/index.ts';
import { isOld } from '../app/feed.ts';
import { Amount, Change, Price } from '../app/parts.tsx';
import { api } from '../app/session.ts';
import { type CoinRow, CoinTable, type Column, coinColumn, type ListOrder } from './coin-table.tsx';
import { Star } from './keeps.tsx';
import { pathOf } from './sparkline.ts';

export interface PricedRow extends CoinRow {
  /** Undefined while it is loading, and for a coin without one. */
  readonly ticker: MarketdataTickerData | undefined;
}

interface PricedCoinsProps {
  readonly caption: string;
  readonly rows: readonly PricedRow[] | undefined;
  readonly expected: number;
  readonly provenance: Provenance | undefined;
  readonly order?: ListOrder;
  readonly onOrder?: (order: ListOrder) => void;
}

/** Coins with their prices and a line of the week. */
export function PricedCoins({ provenance, ...table }: PricedCoinsProps) {
  const ids = table.rows?.map(({ id }) => id) ?? [];
  useEffect(() => {
    const missing = ids.filter((id) => Date.now() - (fetchedAt.get(id) ?? 0) > LIFETIME_MS);
    for (let from = 0; from < missing.length; from += MAX_ASKED)
      void fetchSparklines(missing.slice(from, from + MAX_ASKED));
  }, [ids.join()]);
  return <CoinTable {...table} columns={columns} class={isOld(provenance) ? 'old' : ''} />;
}

/** A column with one of a ticker's figures in US dollars. */
function figure(
  name: string,
  title: string,
  content: (usd: MarketdataTickerData['quotes']['USD']) => ComponentChildren,
  order?: ListOrder,
): Column<PricedRow> {
  const cell = ({ ticker }: PricedRow) => ticker && content(ticker.quotes.USD);
  return { name, title, cell, ...(order && { order }) };
}

const columns: readonly Column<PricedRow>[] = [
  {
    name: 'star-cell',
    title: <span class="visually-hidden">Watchlist</span>,
    cell: (row) => <Star coin={row} />,
  },
  { name: 'rank', title: '#', order: 'rank', cell: ({ ticker }) => ticker?.rank ?? '' },
  coinColumn,
  figure('price', 'Price', (usd) => (
    <>
      <Price usd={usd.price} />
      <span class="below">
        <Change percent={usd.percent_change_24h} />
      </span>
    </>
  )),
  figure('hour', '1h', (usd) => <Change percent={usd.percent_change_1h} />),
  figure('day', '24h', (usd) => <Change percent={usd.percent_change_24h} />, 'change_24h'),
  figure('week', '7d', (usd) => <Change percent={usd.percent_change_7d} />),
  figure('cap', 'Market cap', (usd) => <Amount usd={usd.market_cap} />, 'rank'),
  figure('volume', 'Volume 24h', (usd) => <Amount usd={usd.volume_24h} />, 'volume'),
  { name: 'spark', title: '7 days', cell: (row) => row.ticker && <Sparkline row={row} /> },
];

/** A week as a small line; decorative, since the change is beside it as text. */
function Sparkline({ row: { id, ticker } }: { readonly row: PricedRow }) {
  const prices = sparklines.value.get(id);
  if (!prices) return null;
  return (
    <svg
      class={`sparkline ${toneOf(ticker?.quotes.USD.percent_change_7d ?? null) ?? 'muted'}`}
      viewBox="0 0 100 32"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={pathOf(prices)} />
    </svg>
  );
}

/** The most coins in one request. */
const MAX_ASKED = 100;
/** A week of prices changes little in this time. */
const LIFETIME_MS = 1_800_000;
/** Prices of a week on an even grid. */
const sparklines = signal<ReadonlyMap<string, readonly (number | null)[]>>(new Map());
const fetchedAt = new Map<string, number>();

async function fetchSparklines(ids: readonly string[]): Promise<void> {
  for (const id of ids) fetchedAt.set(id, Date.now());
  try {
    const { data } = await api.sparklines({ ids });
    const next = new Map(sparklines.peek());
    for (const coin of data.coins) if ('prices' in coin) next.set(coin.id, coin.prices);
    sparklines.value = next;
  } catch {
    for (const id of ids) fetchedAt.delete(id); // fetch again when the list next changes
  }
}
