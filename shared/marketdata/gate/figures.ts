/** The figures of a ticker besides its price, each held against its own last believed value. */
import { DAY_MS, isoSeconds } from '../../platform/time.ts';
import { changeMinutes } from '../price-changes.ts';
import type { Received } from '../provider.ts';
import type { FormerValue, HeldValue, Memory } from '../store/snapshot-memory.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import {
  AMOUNTS,
  CONFIRMING_RUNS,
  FACTORS,
  isBeyond,
  isChange,
  isJudged,
  priceStepIn,
  RANK_STEPS,
} from './bounds.ts';

export interface Judgement {
  /** `step`: beyond what the time allows, and not confirmed. `confirmed`: such a step, believed now. `returned`: to the value before. */
  readonly outcome: 'plain' | 'step' | 'confirmed' | 'returned';
  /** How often the step was seen. */
  readonly held?: HeldValue;
  /** The value before a step that was confirmed by repetition. */
  readonly former?: FormerValue;
}

interface Known {
  readonly held: HeldValue | undefined;
  readonly former: FormerValue | undefined;
}

/**
 * Judges a value by the last believed one. `isStep` tells whether a change is beyond what the time allows; `at` is when the
 * provider made the data.
 */
export function judge(
  { was, is, at }: { readonly was: number | null; readonly is: number | null; readonly at: number },
  { held, former }: Known,
  isStep: (was: number | null, is: number | null) => boolean,
): Judgement {
  const isRemembered = former && isJudged(at - former.since);
  if (!isStep(was, is)) return { outcome: 'plain', ...(isRemembered && { former }) };
  if (isRemembered && !isStep(former.value, is)) return { outcome: 'returned' };
  const next = counted(held, { was, is, at });
  if (next.runs < CONFIRMING_RUNS) return { outcome: 'step', held: next, ...(isRemembered && { former }) };
  return { outcome: 'confirmed', held: next, former: { value: was, since: next.since } };
}

function counted(
  held: HeldValue | undefined,
  { was, is, at }: { readonly was: number | null; readonly is: number | null; readonly at: number },
): HeldValue {
  const sideOf = (value: number | null) => (value === null ? 0 : value > (was ?? 0) ? 1 : -1);
  if (!held || sideOf(held.value) !== sideOf(is)) return { value: is, runs: 1, since: at, at };
  return at > held.at ? { ...held, value: is, runs: held.runs + 1, at } : held;
}

type Usd = Ticker['quotes']['USD'];
type UsdNumber = Exclude<keyof Usd, 'ath_date' | 'figures_at'>;

interface Figure {
  readonly name: string;
  /** The value that is compared: of a change, the figure from which it counts. Null: none. */
  of(ticker: Ticker): number | null;
  /** The ticker with another such value. */
  with(ticker: Ticker, value: number | null): Ticker;
  /** Whether a value is beyond what may happen in the time since the other. */
  isStep(was: number, is: number, elapsedMs: number): boolean;
  /** The figure that it is computed from: if that is held back, so is this. */
  readonly basis?: string;
}

function withUsd(ticker: Ticker, usd: Partial<Usd>): Ticker {
  return { ...ticker, quotes: { USD: { ...ticker.quotes.USD, ...usd } } };
}

const supplies = (['circulating_supply', 'total_supply', 'max_supply'] as const).map(
  (name): Figure => ({
    name,
    of: (ticker) => ticker[name] || null,
    with: (ticker, value) => ({ ...ticker, [name]: value }),
    isStep: (was, is) => isBeyond(FACTORS.supply, was, is),
  }),
);

/** The number of coins that a market cap implies. */
export function supplyIn({ quotes: { USD } }: Ticker): number | null {
  return USD.price && USD.market_cap ? USD.market_cap / USD.price : null;
}

/** Whether a ticker's price and number of coins follow those of an earlier one. */
export function isContinued(
  ticker: Ticker,
  { data: before, madeAt }: Pick<Received<Ticker>, 'data' | 'madeAt'>,
): boolean {
  const elapsedMs = Math.max(0, (tickerMadeAt(ticker) ?? madeAt) - madeAt);
  const [was, is] = [before.quotes.USD.price, ticker.quotes.USD.price];
  const [supplyBefore, supply] = [supplyIn(before), supplyIn(ticker)];
  if (!was || !is || isBeyond(priceStepIn(elapsedMs), was, is)) return false;
  return !supplyBefore || !supply || !isBeyond(FACTORS.supply, supplyBefore, supply);
}

const marketCap: Figure = {
  name: 'market_cap',
  of: supplyIn,
  with: (ticker, supply) =>
    withUsd(ticker, { market_cap: supply === null ? null : supply * (ticker.quotes.USD.price ?? 0) }),
  isStep: (was, is) => isBeyond(FACTORS.supply, was, is),
};

const volume: Figure = {
  name: 'volume_24h',
  of: ({ quotes }) => quotes.USD.volume_24h,
  with: (ticker, volume_24h) => withUsd(ticker, { volume_24h }),
  isStep: isVolumeStep,
};

function isVolumeStep(was: number, is: number): boolean {
  return Math.max(was, is) > AMOUNTS.leastJudgedVolume && isBeyond(FACTORS.volume, was, is);
}

const rank: Figure = {
  name: 'rank',
  of: (ticker) => ticker.rank || null,
  with: (ticker, value) => ({ ...ticker, rank: value }),
  isStep: (was, is) => Math.abs(is - was) > Math.max(RANK_STEPS.places, was * RANK_STEPS.part),
};

const beta: Figure = {
  name: 'beta_value',
  of: (ticker) => ticker.beta_value,
  with: (ticker, beta_value) => ({ ...ticker, beta_value }),
  isStep: (was, is) => Math.abs(is - was) > 1,
};

/** Providers round percents to hundredths, so that what is left after a fall of 100 % is at most half of one. */
const LEAST_LEFT = 0.000_05;

/** A change in percent from an earlier figure, which is what can be compared. */
function change(
  name: UsdNumber,
  now: (ticker: Ticker) => number | null,
  isStep: Figure['isStep'],
  basis?: string,
): Figure {
  return {
    name,
    of(ticker) {
      const percent = ticker.quotes.USD[name];
      const value = now(ticker);
      return percent === null || !value ? null : value / Math.max(1 + percent / 100, LEAST_LEFT);
    },
    with(ticker, earlier) {
      const value = now(ticker);
      const percent = earlier && value ? Math.round((value / earlier - 1) * 10_000) / 100 : null;
      return withUsd(ticker, { [name]: percent !== null && isChange(percent) ? percent : null });
    },
    isStep,
    ...(basis && { basis }),
  };
}

const changeNames = Object.keys(changeMinutes) as (keyof typeof changeMinutes)[]; // its own keys

const priceOf = ({ quotes }: Ticker) => quotes.USD.price;
const isPriceStep = (was: number, is: number, elapsedMs: number) => isBeyond(priceStepIn(elapsedMs), was, is);

const priceChanges = changeNames.map((name) => change(name, priceOf, isPriceStep));

/** A peak only rises, and only to a price that was paid. */
const isPeakStep = (was: number, is: number) => isBeyond(FACTORS.supply, was, is);

const peak: Figure = {
  name: 'ath_price',
  of: ({ quotes }) => quotes.USD.ath_price,
  with: (ticker, ath_price) => withUsd(ticker, { ath_price }),
  isStep: isPeakStep,
};

const firstTime: Figure = {
  name: 'first_data_at',
  of: ({ first_data_at }) => (first_data_at === null ? null : Date.parse(first_data_at)),
  with: (ticker, time) => ({ ...ticker, first_data_at: time === null ? null : isoSeconds(time) }),
  isStep: (was, is) => Math.abs(is - was) > DAY_MS,
};

/** Each after the figure that it is computed from. */
const figures: readonly Figure[] = [
  firstTime,
  ...supplies,
  marketCap,
  change('market_cap_change_24h', (ticker) => ticker.quotes.USD.market_cap, isPriceStep, 'market_cap'),
  volume,
  change('volume_24h_change_24h', (ticker) => ticker.quotes.USD.volume_24h, isVolumeStep, 'volume_24h'),
  rank,
  beta,
  ...priceChanges,
  peak,
  change('percent_from_price_ath', priceOf, isPeakStep, 'ath_price'),
];

interface Believed {
  readonly ticker: Ticker;
  readonly memory: Pick<Memory, 'held' | 'former'>;
  /** All figures that are beyond what may have happened, confirmed ones too: to remember if the ticker is not published. */
  readonly steps: Memory['held'];
}

/**
 * A ticker with the believed value of each figure that is beyond what may have happened since `before`, and what to remember of
 * it. Its price is believed. A figure that comes or goes counts like any other step, but not without a memory: then nothing would
 * ever confirm it.
 */
export function withBelieved(ticker: Ticker, before: Ticker, memory: Memory | undefined): Believed {
  const at = tickerMadeAt(ticker) ?? 0;
  const elapsedMs = Math.max(0, at - (tickerMadeAt(before) ?? 0));
  const held: Record<string, HeldValue> = {};
  const steps: Record<string, HeldValue> = {};
  const former: Record<string, FormerValue> = {};
  let believed = ticker;
  const isStepIn = (isStep: Figure['isStep']) => (was: number | null, is: number | null) => {
    if (was === null || is === null) return memory !== undefined && was !== is;
    return isStep(was, is, elapsedMs);
  };
  for (const figure of isJudged(elapsedMs) ? figures : []) {
    const { name, basis } = figure;
    const was = figure.of(before);
    const own = { was, is: figure.of(ticker), at };
    const known = { held: memory?.held[name], former: memory?.former[name] };
    const judgement = judge(own, known, isStepIn(figure.isStep));
    const basisHeld = basis === undefined ? undefined : held[basis];
    if (judgement.held) steps[name] = judgement.held;
    if (judgement.held && judgement.outcome === 'step') held[name] = judgement.held;
    if (judgement.former) former[name] = judgement.former;
    if (judgement.outcome === 'step' || basisHeld) believed = figure.with(believed, was);
  }
  const [peakBefore, ownPeak] = [before.quotes.USD, believed.quotes.USD];
  // The same peak has the same date.
  if (ownPeak.ath_price === peakBefore.ath_price && peakBefore.ath_date !== null)
    believed = withUsd(believed, { ath_date: peakBefore.ath_date });
  if (Object.keys(held).length > 0) {
    const { figures_at } = before.quotes.USD;
    believed = withUsd(believed, { figures_at: figures_at ?? before.last_updated });
  }
  return { ticker: believed, memory: { held, former }, steps };
}

/** A ticker whose unit changed at `since`: without changes and a peak that are from before, which are in the other unit. */
export function inUnitSince(ticker: Ticker, since: number): Ticker {
  const { price, ath_price } = ticker.quotes.USD;
  const ageMinutes = ((tickerMadeAt(ticker) ?? since) - since) / 60_000;
  const older = changeNames.filter((name) => changeMinutes[name] > ageMinutes);
  const isOldPeak = ath_price !== null && price !== null && isBeyond(FACTORS.another, ath_price, price);
  return withUsd(ticker, {
    ...Object.fromEntries(older.map((name) => [name, null])),
    ...(isOldPeak && { ath_price: null, ath_date: null, percent_from_price_ath: null }),
  });
}
