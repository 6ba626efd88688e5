/** The market at a glance: totals, the largest coins, gainers and losers of the ticker snapshot. */
import { oncePer } from '../../platform/caches.ts';
import { isFar } from '../gate/implausible.ts';
import { listed, type Origin } from '../provenance.ts';
import type { ListedCoin } from '../store/listed-coins.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { coinListOf } from './list.ts';

interface Move {
  readonly id: string;
  readonly price: number;
  readonly change: number;
}

/** The number of gainers, and of losers. */
export const MOVERS = 10;
/** Movers are taken from the first ranks: further down, a few hundred dollars move a price. */
export const AMONG = 500;
/** The share of the market cap from which on disputed prices could change the totals by more than a rounding. */
const DISPUTED_SHARE = 0.01;

/** The figures of rows that were new when the snapshot was taken, with their origin unless it is stale. */
export const overviewOf = oncePer((snapshot: Snapshot) => {
  const { takenAt, intervalMs } = snapshot;
  const list = coinListOf(snapshot);
  const coins = list.coins.filter(({ isPast }) => !isPast);
  const disputed = coins.filter(({ isDisputed }) => isDisputed);
  const marketCap = totalOf(coins, 'marketCap');
  const cap = marketCap.usd ?? 0;
  const disputedCap = totalOf(disputed, 'marketCap').usd ?? 0;
  const isDisputed = disputedCap > 0 && disputedCap >= cap * DISPUTED_SHARE;
  const origin: Origin = {
    source: listed(...coins.map(({ source }) => source)) || snapshot.source,
    quality: isDisputed ? 'disputed' : 'exact',
    madeAt: takenAt,
    freshUntil: takenAt + intervalMs,
  };
  const figures = {
    marketCap,
    volume24h: totalOf(coins, 'volume'),
    largest: largestOf(coins, cap),
    ...moversOf(snapshot, list.by('rank')),
    takenAt: new Date(takenAt).toISOString(),
  };
  return { origin, figures };
});

function totalOf(coins: readonly ListedCoin[], name: 'marketCap' | 'volume') {
  const figures = coins.map((coin) => coin[name]).filter((figure) => figure !== null);
  const usd = figures.reduce((sum, figure) => sum + figure, 0);
  return { usd: figures.length > 0 && Number.isFinite(usd) ? usd : null, coins: figures.length };
}

function largestOf(coins: readonly ListedCoin[], total: number) {
  if (!total) return [];
  const capOf = ({ marketCap }: ListedCoin) => marketCap ?? 0;
  return coins
    .toSorted((a, b) => capOf(b) - capOf(a))
    .slice(0, 2)
    .map((coin) => ({ id: coin.id, share: (capOf(coin) / total) * 100 }));
}

/** The coins that gained and lost most in a day. */
function moversOf(snapshot: Snapshot, byRank: readonly ListedCoin[]) {
  const ranked = byRank.filter(({ rank }) => rank).slice(0, AMONG);
  const moves = ranked.flatMap(moveOf).sort((a, b) => b.change - a.change);
  const firstOf = (coins: readonly Move[]) =>
    coins.slice(0, MOVERS).map(({ id, price, change }) => {
      const { name = id, symbol = '' } = snapshot.ticker(id)?.data ?? {};
      return { id, name, symbol, price, change };
    });
  return {
    gainers: firstOf(moves.filter(({ change }) => change > 0)),
    losers: firstOf(moves.filter(({ change }) => change < 0).reverse()),
  };
}

/** Empty for a change that should not be shown: its price is old, disputed, or may be another coin's. */
function moveOf({ id, price, change24h, isDisputed, isConfirmed, isPast }: ListedCoin): Move[] {
  if (price === null || change24h === null || isDisputed || isPast) return [];
  // Real prices seldom triple within a day, and when they do, markets agree.
  if (!isConfirmed && isFar(1, 1 + change24h / 100)) return [];
  return [{ id, price, change: change24h }];
}
