import { isFar } from '../../../shared/marketdata/gate/implausible.ts';
import type { Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import type { ListedCoin } from '../listing/order.ts';
import { AMONG, MOVERS } from './limits.ts';

interface Move {
  readonly id: string;
  readonly price: number;
  readonly change: number;
}

/** The coins that gained and lost most in a day, out of those in the order of their ranks. */
export function moversOf(snapshot: Snapshot, byRank: readonly ListedCoin[]) {
  const ranked = byRank.filter(({ rank }) => rank).slice(0, AMONG);
  const moves = ranked.flatMap(moveOf).sort((a, b) => b.change - a.change);
  const named = ({ id, price, change }: Move) => {
    const { name = id, symbol = '' } = snapshot.ticker(id)?.data ?? {};
    return { id, name, symbol, price, change };
  };
  const firstOf = (coins: Move[]) => coins.slice(0, MOVERS).map(named);
  return {
    gainers: firstOf(moves.filter(({ change }) => change > 0)),
    losers: firstOf(moves.filter(({ change }) => change < 0).reverse()),
  };
}

/** None of a coin whose change nobody should be told as news: a price that is old, contradicted, or maybe mixed up. */
function moveOf({ id, price, change24h, isDisputed, isConfirmed, isPast }: ListedCoin): Move[] {
  if (price === null || change24h === null || isDisputed || isPast) return [];
  // Real prices triple within a day, seldom, and markets know it then.
  if (!isConfirmed && isFar(1, 1 + change24h / 100)) return [];
  return [{ id, price, change: change24h }];
}
