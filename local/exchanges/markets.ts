import { DAY_MS } from '../../shared/platform/time.ts';
import { seedOf, uniform } from '../provider/hash.ts';
import { type Market, priceAt } from '../provider/market.ts';
import { EPOCH_MS } from '../provider/walk.ts';
import type { ExchangeName } from './names.ts';
import { leadingAssets, type Plan, plansOf, QUOTE_COINS, type QuoteSymbol } from './plans.ts';
import { type Tape, tapeOf } from './tape.ts';
import { type TrapName, withTrap } from './traps.ts';

export type MarketState = 'open' | 'halted' | 'delisted';

/** A market of a simulated exchange, with the truth about it. */
export interface SimulatedMarket {
  /** Symbols without an exchange's aliases; the base of a multiplied market has its number in front. */
  readonly base: string;
  readonly quote: QuoteSymbol;
  /** The coin that a reader may take it for, as long as it is open; null for none. */
  readonly coinId: string | null;
  readonly trap: TrapName | null;
  /** May be set while it runs: a market that is not open has no trades from then on. */
  state: MarketState;
  readonly tape: Tape;
}

export interface ListingOptions {
  /** So many of the largest coins have markets. */
  readonly listed: number;
  readonly traps: readonly TrapName[];
  /** Markets that are closed from the start on have been so for a while then, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly now: () => number;
}

interface TrapPlan extends Plan {
  readonly trap?: TrapName;
}

/** Digits behind the point that an exchange's prices have at most. */
const MAX_DECIMALS = { coinbase: 12, kraken: 10, binance: 8 } as const;
const LEAST_DECIMALS = 2;
const DIGITS = 6;
const CLOSED_FOR_MS = { halted: 3 * DAY_MS, delisted: 30 * DAY_MS } as const;
/** Where in the order of an exchange's markets there is one that is closed. */
const CLOSED_AT = { halted: 0.6, delisted: 0.5 } as const;

/** The markets of an exchange, with the traps among them. */
export function marketsOf(
  exchange: ExchangeName,
  market: Market,
  listing: ListingOptions,
): SimulatedMarket[] {
  const leading = leadingAssets(market, listing.listed);
  let plans: TrapPlan[] = plansOf(exchange, leading);
  for (const trap of listing.traps) plans = withTrap(trap, exchange, plans, market, leading);
  const closed = closedOf(plans, listing.traps);
  return plans.map((plan) => marketOf(exchange, market, plan, closed.get(plan) ?? 'open', listing));
}

function marketOf(
  exchange: ExchangeName,
  { asset: assetOf }: Market,
  plan: TrapPlan,
  state: MarketState,
  { traps, startMs, now }: ListingOptions,
): SimulatedMarket {
  const { base, quote, coinId, asset, multiple = 1 } = plan;
  const seed = seedOf(`${asset.seed}:${exchange}:${quote}`);
  const silence = traps.includes('silent') ? (plan.silence ?? 0) : 0;
  const quoteId = QUOTE_COINS[quote];
  let endMs = state === 'open' ? Infinity : startMs - CLOSED_FOR_MS[state];
  let current = state;
  const tape = tapeOf({
    ...{ asset, multiple, silence, seed },
    quote: quoteId && assetOf(quoteId),
    share: plan.share * (0.5 + uniform(seed, 2)),
    decimals: decimalsOf(multiple * priceAt(asset, EPOCH_MS), MAX_DECIMALS[exchange]),
    endMs: () => endMs,
  });
  return {
    ...{ base, quote, coinId, tape },
    trap: plan.trap ?? (state === 'open' ? (silence > 0 ? 'silent' : null) : state),
    get state() {
      return current;
    },
    set state(next) {
      if (next === 'open') endMs = Infinity;
      else if (current === 'open') endMs = now();
      current = next;
    },
  };
}

/** The markets that are closed from the start on. */
function closedOf(plans: readonly TrapPlan[], traps: readonly TrapName[]): Map<TrapPlan, MarketState> {
  const plain = plans.filter(({ trap, quote }) => !trap && quote === plans[0]?.quote);
  const closed = new Map<TrapPlan, MarketState>();
  for (const state of ['halted', 'delisted'] as const) {
    const plan = plain[Math.floor(plain.length * CLOSED_AT[state])];
    if (plan && traps.includes(state)) closed.set(plan, state);
  }
  return closed;
}

function decimalsOf(price: number, most: number): number {
  return Math.min(Math.max(DIGITS - 1 - Math.floor(Math.log10(price)), LEAST_DECIMALS), most);
}
