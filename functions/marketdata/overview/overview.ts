import { listed } from '../../../shared/marketdata/candles.ts';
import { listingOf } from '../listing/listing.ts';
import { oncePerSnapshot } from '../listing/once.ts';
import type { ListedCoin } from '../listing/order.ts';
import { moversOf } from './movers.ts';

/** From this share of the market cap on, disputed prices could make the totals wrong by more than a rounding. */
const DISPUTED_SHARE = 0.01;

/** Of the rows that were new when the snapshot was taken. */
export const overviewOf = oncePerSnapshot((snapshot) => {
  const { coins, by } = listingOf(snapshot);
  const own = coins.filter(({ isPast }) => !isPast);
  const marketCap = totalOf(own, 'marketCap');
  const cap = marketCap.usd ?? 0;
  const disputed = own.filter(({ isDisputed }) => isDisputed);
  const disputedCap = totalOf(disputed, 'marketCap').usd ?? 0;
  return {
    source: listed(...own.map(({ source }) => source)) || snapshot.source,
    isDisputed: disputedCap > 0 && disputedCap >= cap * DISPUTED_SHARE,
    figures: {
      marketCap,
      volume24h: totalOf(own, 'volume'),
      largest: largestOf(own, cap),
      ...moversOf(snapshot, by('rank')),
      takenAt: new Date(snapshot.takenAt).toISOString(),
    },
  };
});

function totalOf(coins: readonly ListedCoin[], name: 'marketCap' | 'volume') {
  let [usd, count] = [0, 0];
  for (const coin of coins) {
    const figure = coin[name];
    if (figure === null) continue;
    usd += figure;
    count += 1;
  }
  return { usd: count > 0 && Number.isFinite(usd) ? usd : null, coins: count };
}

function largestOf(coins: readonly ListedCoin[], total: number) {
  if (!total) return [];
  return coins
    .toSorted((a, b) => capOf(b) - capOf(a))
    .slice(0, 2)
    .map((coin) => ({ id: coin.id, share: (capOf(coin) / total) * 100 }));
}

function capOf({ marketCap }: ListedCoin): number {
  return marketCap ?? 0;
}
