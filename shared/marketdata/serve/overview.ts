/** The market at a glance: totals, the largest coins, gainers and losers of the ticker snapshot. */
import { oncePer } from '../../platform/caches.ts';
import { lifetimes } from '../freshness.ts';
import { isFar } from '../gate/bounds.ts';
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
/** The share of the market cap from which on disputed or old prices could change the totals by more than a rounding. */
const TELLING_SHARE = 0.01;

/**
 * The figures of all coins that have a ticker, with their origin unless it is stale. Totals are made of the last believed figures,
 * so that an outage or a false row moves none.
 */
export const overviewOf = oncePer((snapshot: Snapshot) => {
  const { takenAt, intervalMs } = snapshot;
  const list = coinListOf(snapshot);
  const coins = list.coins.filter(({ madeAt }) => takenAt < madeAt + lifetimes.ticker.staleForMs);
  const marketCap = totalOf(coins, 'believedCap');
  const cap = marketCap.usd ?? 0;
  const isTelling = (some: readonly ListedCoin[]) => {
    const own = totalOf(some, 'believedCap').usd ?? 0;
    return some.length > 0 && own >= cap * TELLING_SHARE;
  };
  const isStale = isTelling(coins.filter(({ isPast }) => isPast));
  const isDisputed = isTelling(coins.filter((coin) => coin.isDisputed));
  const origin: Origin = {
    source: listed(...coins.map(({ source }) => source)) || snapshot.source,
    quality: isStale ? 'stale' : isDisputed ? 'disputed' : 'exact',
    madeAt: middleTime(coins) ?? takenAt,
    freshUntil: Math.min(takenAt + intervalMs, snapshot.nextAt ?? Number.POSITIVE_INFINITY),
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

/** When the prices of most of the market were made: that of the coin in the middle. */
function middleTime(coins: readonly ListedCoin[]): number | undefined {
  const times = coins.map(({ madeAt }) => madeAt).sort((a, b) => a - b);
  return times[times.length >> 1];
}

function totalOf(coins: readonly ListedCoin[], name: 'believedCap' | 'volume') {
  const figures = coins.map((coin) => coin[name]).filter((figure) => figure !== null);
  const usd = figures.reduce((sum, figure) => sum + figure, 0);
  return { usd: figures.length > 0 && Number.isFinite(usd) ? usd : null, coins: figures.length };
}

function largestOf(coins: readonly ListedCoin[], total: number) {
  if (!total) return [];
  const capOf = ({ believedCap }: ListedCoin) => believedCap ?? 0;
  return coins
    .toSorted((a, b) => capOf(b) - capOf(a))
    .slice(0, 2)
    .map((coin) => ({ id: coin.id, share: (capOf(coin) / total) * 100 }));
}

/** The coins that gained and lost most in a day. */
function moversOf(snapshot: Snapshot, byRank: readonly ListedCoin[]) {
  const ranked = byRank.filter(({ rank }) => rank).slice(0, AMONG);
  const moves = ranked.flatMap(moveOf).sort((a, b) => b.change - a.change);
  /** The list chooses some, and the prices of markets since then order them. */
  const firstOf = (listed: readonly Move[], direction: 1 | -1) =>
    listed
      .slice(0, MOVERS * 3)
      .map((move) => {
        const { name = move.id, symbol = '', quotes } = snapshot.ticker(move.id)?.data ?? {};
        const { price = move.price, percent_change_24h: change = move.change } = quotes?.USD ?? {};
        return { id: move.id, name, symbol, price: price ?? move.price, change: change ?? move.change };
      })
      .filter(({ change }) => change * direction > 0)
      .sort((a, b) => (b.change - a.change) * direction)
      .slice(0, MOVERS);
  return {
    gainers: firstOf(moves, 1),
    losers: firstOf(moves.toReversed(), -1),
  };
}

/** Empty for a change that should not be shown: its price is old, disputed, or may be another coin's. */
function moveOf({ id, price, change24h, isDisputed, isConfirmed, isPast }: ListedCoin): Move[] {
  if (price === null || change24h === null || isDisputed || isPast) return [];
  // Real prices seldom triple within a day, and when they do, markets agree.
  if (!isConfirmed && isFar(1, 1 + change24h / 100)) return [];
  return [{ id, price, change: change24h }];
}
