/** Decides which coin a market trades, by comparing it with its candidates. */
import { PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import { isWithin } from '../../../../shared/marketdata/sources/market.ts';
import {
  type Candidate,
  ENOUGH,
  type ExchangeState,
  type Loss,
  type MarketState,
  type Verdict,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { symbolKey } from '../../../../shared/registry/fold.ts';
import { type Coin, type Coins, quoteRank } from './coins.ts';

/** No chance agreement lasts longer: a coin that got its markets more recently may be the wrong one. */
const NEW_FOR_MS = 3_600_000;

/** Whether an exchange's market keeps its coin, however far off the ticker is. */
export type IsBacked = (exchange: string, market: MarketState) => boolean;

/**
 * A market is backed if another exchange's market of the same coin has the same price in this run: then the ticker is wrong. It
 * is not backed if its coin is new to both and another coin of that symbol agrees: then both trade that one.
 */
export function backedBy(exchanges: readonly ExchangeState[], now: number): IsBacked {
  const mapped = exchanges.flatMap(({ exchange, markets }) =>
    markets.flatMap(({ mapped: own, isOpen, last }) =>
      own ? [{ exchange, ...own, price: isOpen ? last?.price : undefined }] : [],
    ),
  );
  const byCoin = Map.groupBy(mapped, ({ coin }) => coin);
  return (exchange, { mapped: own, last, candidates }) => {
    if (!own || !last) return false;
    const all = byCoin.get(own.coin) ?? [];
    const isNew = now - Math.min(...all.map(({ since }) => since)) < NEW_FOR_MS;
    const isOther = ({ coin, agreed }: Candidate) => coin !== own.coin && agreed >= ENOUGH.agreed;
    if (isNew && candidates.some(isOther)) return false;
    return all.some(
      (one) =>
        one.exchange !== exchange && one.price !== undefined && isWithin(PARTS.agrees, last.price, one.price),
    );
  };
}

/** An open market with its candidates after one more snapshot, taken at `takenAt`. */
export function withCandidates(
  market: MarketState,
  coins: Coins,
  { takenAt, isBacked }: { readonly takenAt: number; readonly isBacked: boolean },
): MarketState {
  if (!market.isOpen) return market;
  const { last, mapped, base } = market;
  const before = new Map(market.candidates.map((one) => [one.coin, one]));
  // Its coin stays a candidate, even if it left the snapshot or changed its symbol.
  const ids = new Set([...coins.bySymbol(base).map(({ id }) => id), ...(mapped ? [mapped.coin] : [])]);
  const ownRank = mapped ? coins.rank(mapped.coin) : 0;
  const candidates = [...ids].sort().map((id): Candidate => {
    const coin = coins.byId(id);
    const isNamedSo = coin !== undefined && symbolKey(coin.symbol) === symbolKey(base);
    const verdict = verdictOf(isNamedSo ? coin : undefined, last);
    const isAhead = coins.rank(id) < ownRank;
    const isKept = isBacked && id === mapped?.coin;
    return counted(before.get(id), id, { verdict, isAhead, isKept, hasPrice: last !== null, takenAt });
  });
  return { ...market, candidates };
}

/** Compares a coin with a market's last price and volume in USD. */
function verdictOf(coin: Coin | undefined, last: MarketState['last']): Verdict {
  if (!coin?.isActive || !Number.isFinite(coin.rank) || !last) return 'unknown';
  const { price, volume } = coin;
  if (!isPositive(price) || !isPositive(volume)) return 'unknown';
  if (!isWithin(PARTS.far, last.price, price)) return 'far';
  if (!isWithin(PARTS.agrees, last.price, price)) return 'differs';
  return volume < last.volume ? 'volume' : 'agrees';
}

function isPositive(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value > 0;
}

interface Comparison {
  readonly verdict: Verdict;
  /** Whether the coin has a better rank than the market's coin; false if the market has none. */
  readonly isAhead: boolean;
  /** Whether it is the market's coin and stays so, however far off its ticker is. */
  readonly isKept: boolean;
  readonly hasPrice: boolean;
  readonly takenAt: number;
}

function counted(
  before: Candidate | undefined,
  coin: string,
  { verdict, isAhead, isKept, hasPrice, takenAt }: Comparison,
): Candidate {
  const { agreed = 0, far = 0, ahead = 0, unconfirmed = 0 } = before ?? {};
  const agrees = verdict === 'agrees';
  const isConfirmed = agrees || verdict === 'volume';
  const farNow = verdict === 'far' ? Math.min(far + 1, ENOUGH.far) : 0;
  return {
    coin,
    agreed: agrees ? Math.min(agreed + 1, ENOUGH.lasting) : 0,
    far: isKept ? 0 : verdict === 'unknown' ? far : farNow,
    ahead: agrees && isAhead ? Math.min(ahead + 1, ENOUGH.lasting) : 0,
    unconfirmed: isConfirmed ? 0 : Math.min(unconfirmed + (hasPrice ? 1 : 0), ENOUGH.lasting),
    verdict,
    since: before?.verdict === verdict ? before.since : takenAt,
  };
}

/**
 * The markets of one symbol at one exchange, after their candidates have been counted. An exchange uses a symbol for one asset,
 * so all of them trade one coin, or the coin is not known yet. A coin that has a market keeps it even if another one agrees for
 * a while, which may be chance. It loses the market by its own losses, or to a better-ranked coin that has agreed for a day:
 * then it is a copy of that coin.
 */
export function decided(markets: readonly MarketState[], coins: Coins, now: number): MarketState[] {
  const left = markets.map((market) => {
    const why = lossOf(market, coins);
    return why ? without(market, why, now) : openOnly(market, now);
  });
  const original = originalOf(left, coins);
  const kept = left.map((market) =>
    original !== undefined && market.mapped?.coin !== original ? without(market, 'moved', now) : market,
  );
  const coin =
    original ??
    earliest(kept) ??
    kept
      .toSorted((a, b) => quoteRank(a.quote) - quoteRank(b.quote))
      .map((market) => chosen(market, coins))
      .find((one) => one !== undefined);
  return kept.map((market) => {
    // A second coin for the symbol is always wrong.
    if (market.mapped) return market.mapped.coin === coin ? market : without(market, 'moved', now);
    const isReady = market.candidates.some((one) => one.coin === coin && isAgreed(one));
    return coin !== undefined && isReady ? { ...market, mapped: { coin, since: now } } : market;
  });
}

/** A closed market loses its coin; that needs no comparison. */
export function openOnly(market: MarketState, now: number): MarketState {
  return market.isOpen ? market : without(market, 'closed', now);
}

function lossOf({ mapped, candidates }: MarketState, { isActive }: Coins): Loss | undefined {
  if (!mapped) return undefined;
  if (!isActive(mapped.coin)) return 'inactive';
  const own = candidates.find(({ coin }) => coin === mapped.coin);
  if (own && own.far >= ENOUGH.far) return 'far';
  return own && own.unconfirmed >= ENOUGH.lasting ? 'unconfirmed' : undefined;
}

function without(market: MarketState, why: Loss, at: number): MarketState {
  const { mapped } = market;
  return mapped ? { ...market, mapped: null, lost: { coin: mapped.coin, at, why } } : market;
}

/** The best-ranked coin that has been ahead of a market's own for long enough. */
function originalOf(markets: readonly MarketState[], { rank }: Coins): string | undefined {
  return markets
    .filter(({ mapped }) => mapped)
    .flatMap(({ candidates }) => candidates)
    .filter(({ ahead }) => ahead >= ENOUGH.lasting)
    .toSorted((a, b) => rank(a.coin) - rank(b.coin))[0]?.coin;
}

function earliest(markets: readonly MarketState[]): string | undefined {
  return markets.flatMap(({ mapped }) => mapped ?? []).toSorted((a, b) => a.since - b.since)[0]?.coin;
}

/**
 * The best-ranked coin that has agreed for long enough. That takes longer for each better-ranked coin that may still be the
 * right one, because it was not far off three times in a row: a ticker may be wrong or missing once.
 */
function chosen({ isOpen, candidates }: MarketState, { rank, isActive }: Coins): string | undefined {
  if (!isOpen) return undefined;
  let enough: number = ENOUGH.agreed;
  for (const { coin, verdict, agreed, far } of candidates.toSorted((a, b) => rank(a.coin) - rank(b.coin))) {
    if (verdict === 'agrees') return agreed >= enough ? coin : undefined;
    const isAnother = far >= ENOUGH.far || verdict === 'volume';
    if (!isAnother && isActive(coin) && Number.isFinite(rank(coin))) enough += ENOUGH.moreInDoubt;
  }
  return undefined;
}

function isAgreed({ verdict, agreed }: Candidate): boolean {
  return verdict === 'agrees' && agreed >= ENOUGH.agreed;
}
