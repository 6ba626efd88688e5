import { ENOUGH } from '../../../../shared/marketdata/sources/enough.ts';
import type { Candidate, Loss, MarketState } from '../../../../shared/marketdata/sources/source-map.ts';
import { QUOTES } from './rates.ts';

/** Coins as the snapshot ranks them. */
export interface Coins {
  /** Infinity if it has none. */
  rank(coin: string): number;
  /** False only of a coin that is known to be traded no more. */
  isActive(coin: string): boolean;
}

/**
 * The markets of one symbol at one exchange, after their candidates have been counted: an exchange knows one asset by a
 * symbol, so all of them trade one coin, or it is not known yet. A coin that has a market keeps it whatever else agrees
 * for a while, because that may be chance; what gives it up are the losses, or a better-ranked coin that has agreed
 * for a day: that is no chance, so the coin was a copy of that one.
 */
export function decided(markets: readonly MarketState[], coins: Coins, now: number): MarketState[] {
  const left = markets.map((market) => {
    const why = lossOf(market, coins);
    return why ? without(market, why, now) : openOnly(market, now);
  });
  const original = originalOf(left, coins);
  const kept = original ? left.map((market) => movedTo(original, market, now)) : left;
  const byQuote = kept.toSorted((a, b) => QUOTES.indexOf(a.quote) - QUOTES.indexOf(b.quote));
  const coin =
    original ??
    earliest(kept) ??
    byQuote.map((market) => chosen(market, coins)).find((one) => one !== undefined);
  return kept.map((market) => {
    // A second coin is one too many, however it came there.
    if (market.mapped) return market.mapped.coin === coin ? market : without(market, 'moved', now);
    const isReady = coin !== undefined && market.candidates.some((one) => one.coin === coin && agrees(one));
    return isReady ? { ...market, mapped: { coin, since: now } } : market;
  });
}

/** Without its coin if it is closed: nobody has to be compared for that. */
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

function movedTo(coin: string, market: MarketState, now: number): MarketState {
  return market.mapped && market.mapped.coin !== coin ? without(market, 'moved', now) : market;
}

function earliest(markets: readonly MarketState[]): string | undefined {
  return markets.flatMap(({ mapped }) => mapped ?? []).toSorted((a, b) => a.since - b.since)[0]?.coin;
}

/**
 * The best-ranked coin that agrees, if it has for long enough: longer for each better-ranked one that may be the right
 * one all the same, because it was not far off three times in a row: a ticker may be wrong or missing for once.
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

function agrees({ verdict, agreed }: Candidate): boolean {
  return verdict === 'agrees' && agreed >= ENOUGH.agreed;
}
