/** A market of many coins for the snapshot's job, in which each coin may lie or really move. */
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { MINUTE_MS } from '../../shared/platform/time.ts';
import { quotesOf, type TwoSides } from './two-sides.ts';

export const INTERVAL_MS = 10 * MINUTE_MS;

/** A row of the provider's list. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly rank: number | null;
  readonly circulating_supply: number | null;
  readonly total_supply: number | null;
  readonly max_supply: number | null;
  readonly first_data_at: string;
  readonly last_updated: string;
  readonly quotes: { readonly USD: Readonly<Record<string, number | string | null>> };
}

/** A coin's true state in a run. */
export interface Truth {
  readonly price: number;
  readonly supply: number;
  readonly volume: number;
  /** Percent in 24 hours. */
  readonly change24h: number;
  /** What a move made of the price: earlier prices are those before it. */
  readonly factor?: number;
  /** Whether exchanges trade it. */
  readonly isTraded: boolean;
}

/** Prices in USD that wander by up to a percent, the same in each test. */
export function truthOf(index: number, run: number): Truth {
  const wave = 1 + 0.008 * Math.sin(run * 0.9 + index);
  const supply = 1e9 * 0.999 ** index;
  const price = (1 + (index % 97)) * wave;
  return {
    price,
    supply,
    volume: price * supply * 0.03,
    change24h: 0.5 + (index % 7),
    isTraded: index % 2 === 0,
  };
}

export function rowOf(
  index: number,
  { price, supply, volume, change24h, factor = 1 }: Truth,
  time: number,
): Row {
  const moved = (percent: number) => Math.round((1 + percent / 100) * factor * 10_000 - 10_000) / 100;
  return {
    id: `coin-${index}`,
    name: `Coin ${index}`,
    symbol: `C${index}`,
    rank: index + 1,
    circulating_supply: supply,
    total_supply: supply * 1.1,
    max_supply: supply * 1.2,
    first_data_at: '2020-01-01T00:00:00Z',
    last_updated: new Date(time - MINUTE_MS).toISOString(),
    quotes: {
      USD: {
        price,
        volume_24h: volume,
        market_cap: price * supply,
        percent_change_1h: moved(0.3),
        percent_change_24h: moved(change24h),
        percent_change_7d: moved(4),
        percent_change_1y: moved(30),
        ath_price: 250,
        ath_date: '2021-11-10T16:51:15Z',
      },
    },
  };
}

export function withUsd(row: Row, usd: Row['quotes']['USD']): Row {
  return { ...row, quotes: { USD: { ...row.quotes.USD, ...usd } } };
}

/** Publishes the quotes of traded coins, then the list, as the jobs do. Resolves to what the snapshot's job returned. */
export async function runList(
  sides: TwoSides,
  time: number,
  rows: readonly Row[],
  prices: ReadonlyMap<string, readonly number[]>,
) {
  const quotes = [...prices].map(([id, own]) => [id, quotesOf(...own)] as const);
  await sides.quote(time - 45_000, Object.fromEntries(quotes));
  sides.provide(rows);
  return sides.runAt(time);
}

export function publishedIn(sides: TwoSides) {
  return openSnapshot(sides.s3.objects.get('/bucket/snapshot/tickers.v4') ?? Buffer.of());
}
