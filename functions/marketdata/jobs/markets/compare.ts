import { ENOUGH, OFF } from '../../../../shared/marketdata/sources/enough.ts';
import type { Candidate, MarketState, Verdict } from '../../../../shared/marketdata/sources/source-map.ts';
import { isWithin } from '../off.ts';
import { isRanked } from './rates.ts';
import type { SeenCoin } from './seen.ts';

/** A coin beside one market's last price and volume in USD. */
export function verdictOf(coin: SeenCoin | undefined, said: MarketState['said']): Verdict {
  if (!coin?.isActive || !isRanked(coin) || !said) return 'unknown';
  const { price, volume } = coin;
  if (!isPositive(price) || !isPositive(volume)) return 'unknown';
  if (!isWithin(OFF.far, said.price, price)) return 'far';
  if (!isWithin(OFF.agrees, said.price, price)) return 'differs';
  return volume < said.volume ? 'volume' : 'agrees';
}

function isPositive(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value > 0;
}

interface Compared {
  readonly verdict: Verdict;
  /** Whether the coin is ranked better than the one whose market it is; false also if it is nobody's. */
  readonly isAhead: boolean;
  /** Whether it is the market's coin and stays so, however far off its ticker is. */
  readonly isKept: boolean;
  /** False: the market said nothing in this snapshot. */
  readonly isSaid: boolean;
  /** When that snapshot was taken. */
  readonly takenAt: number;
}

/** The candidate after one more snapshot. */
export function counted(
  before: Candidate | undefined,
  coin: string,
  { verdict, isAhead, isKept, isSaid, takenAt }: Compared,
): Candidate {
  const { agreed = 0, far = 0, ahead = 0, unconfirmed = 0 } = before ?? {};
  const agrees = verdict === 'agrees';
  const isConfirmed = agrees || verdict === 'volume';
  return {
    coin,
    agreed: agrees ? Math.min(agreed + 1, ENOUGH.lasting) : 0,
    far: isKept ? 0 : farAfter(far, verdict),
    ahead: agrees && isAhead ? Math.min(ahead + 1, ENOUGH.lasting) : 0,
    unconfirmed: isConfirmed ? 0 : Math.min(unconfirmed + (isSaid ? 1 : 0), ENOUGH.lasting),
    verdict,
    since: before?.verdict === verdict ? before.since : takenAt,
  };
}

function farAfter(far: number, verdict: Verdict): number {
  if (verdict === 'far') return Math.min(far + 1, ENOUGH.far);
  return verdict === 'unknown' ? far : 0;
}
