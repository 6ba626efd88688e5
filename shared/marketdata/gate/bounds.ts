/** How far is too far: every bound by which the gate judges prices and figures, each with its reason. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import { AGREES } from '../sources/market.ts';

/** Factors between two values of one figure: beyond it in either direction they contradict each other. */
export const FACTORS = {
  /** Two prices of one coin. Coins do triple within a day, but what differs threefold at once is another coin or unit. */
  another: 3,
  /** Two prices of one coin from different sources or days: thinly traded tokens differ by a third and more. */
  near: 1.5,
  /** Prices of one coin’s contracts on different chains, which bridges keep together. */
  contracts: 1.05,
  /** A supply between two lists: unlocks of a tenth happen, and a larger one is believed with the third list. */
  supply: 1.25,
  /** A volume of 24 hours between two lists: ten minutes rarely trade more than a day. */
  volume: 3,
} as const;

/** Parts by which a value may differ from the one that it is held against. */
export const PARTS = {
  /** A market that agrees with a coin’s price: exchanges differ by less in calm hours. */
  agrees: AGREES,
  /** A market that trades another coin: in a crash, prices that are minutes apart differ by up to this. */
  far: 0.05,
  /** A price that markets dispute: fees and thin books explain less than a tenth. */
  disputed: 0.1,
  /** The same for markets' prices of another moment, minutes earlier or later: crashes took 18 % in ten minutes. */
  disputedLater: 0.3,
  /** A stablecoin’s price at one exchange against the median of all. */
  stablecoin: 0.02,
  /** A stablecoin’s price against a dollar: USDC fell to 0.87 and USDT to 0.93 in their worst hours. */
  depegged: 0.5,
  /** A stablecoin’s range in a day for which its close is the rate of the whole day: it is usually a tenth of this. */
  oneRate: 0.01,
  /** The time over which a change was measured, of the time in its name: a change of 15 minutes is none of 10. */
  changeTime: 0.1,
  /** A currency’s rate in a day: the largest moves were those of the lira in 2018 and 2021 and the franc in 2015. */
  rate: 0.1,
  /** Rates of two sources: central banks differ by tenths of a percent, and the euro moves by some percent in days. */
  blended: 0.05,
} as const;

/** The largest step of a price in the time since the last believed one. No entry: anything may have happened. */
const PRICE_STEPS: readonly (readonly [withinMs: number, factor: number])[] = [
  // Small coins that rose eightfold within an hour took 1.4 times in ten minutes.
  [15 * MINUTE_MS, 1.5],
  [HOUR_MS, 2],
  [6 * HOUR_MS, FACTORS.another],
  [DAY_MS, 5],
  [2 * DAY_MS, 10],
];
/** Markets' prices and a ticker are of one moment if they were made within this time. */
export const ONE_MOMENT_MS = 5 * MINUTE_MS;
/** The other figures are judged for as long: after two days it is clear which of two values was wrong. */
const JUDGED_MS = 2 * DAY_MS;

/** The largest believable factor between two prices of one coin, in the time between them. */
export function priceStepIn(elapsedMs: number): number {
  return PRICE_STEPS.find(([withinMs]) => elapsedMs <= withinMs)?.[1] ?? Number.POSITIVE_INFINITY;
}

/** Whether a step of another figure can still be judged. */
export function isJudged(elapsedMs: number): boolean {
  return elapsedMs <= JUDGED_MS;
}

/** Whether two values differ by more than a factor, in either direction. */
export function isBeyond(factor: number, one: number, other: number): boolean {
  return one > other * factor || other > one * factor;
}

/** Whether one price is at least three times the other. */
export function isFar(before: number, after: number): boolean {
  return after >= before * FACTORS.another || after * FACTORS.another <= before;
}

/** Whether neither price is more than 1.5 times the other. */
export function isNear(before: number, after: number): boolean {
  return !isBeyond(FACTORS.near, before, after);
}

/** A step of a price by more than this, which another source confirms, is a new unit and no move. */
export const NEW_UNIT_FACTOR = 10;

/**
 * A price that only repetition confirmed was false if it returns within this time to the one before, in one step: pumps fall more
 * slowly, and providers mend a bad tick within hours.
 */
export const TAKEN_BACK_MS = 6 * HOUR_MS;

/** Consecutive lists that must agree before a step is believed that no second source confirms. */
export const CONFIRMING_RUNS = 3;

/** Real prices go down to 4e-18 dollars; the dearest coins cost some hundred thousand. */
export const MAX_PRICE = 1e15;
/** Nothing loses more than its price, and nothing ever grew ten thousandfold in a day, in percent. */
const CHANGES = { least: -100, most: 1e6 } as const;
/** The first block of Bitcoin: a time before it is in another unit. */
export const FIRST_TIME = Date.UTC(2009, 0, 3);

export const AMOUNTS = {
  /** The largest coin was worth $2.5e12 so far. */
  maxMarketCap: 1e14,
  /** All coins together were traded for $3e11 a day. */
  maxVolume: 1e12,
  /** A coin without other known data is none of the twenty largest. */
  maxUnknown: 1e10,
  /** Stablecoins are traded up to five times their market cap in a day. */
  maxTurnover: 10,
  /** A smaller volume moves neither a total nor the top of a list, and one trade may multiply it. */
  leastJudgedVolume: 1e6,
} as const;

export function isPrice(value: number): boolean {
  return value > 0 && value < MAX_PRICE;
}

export function isChange(percent: number): boolean {
  return percent >= CHANGES.least && percent < CHANGES.most;
}

/** Places by which a rank may move between two lists, and the part of it that lower ranks may. */
export const RANK_STEPS = { places: 20, part: 0.5 } as const;

/** The share of a list’s rows that makes it the list that is wrong, and not the rows. */
const SHARE = 0.1;

/** Whether rows are a tenth of a list, however few. */
export function isShare(some: number, all: number): boolean {
  return some >= all * SHARE;
}

/** Whether several rows are a tenth of a list. */
export function isTenth(some: number, all: number): boolean {
  return some > 1 && some >= all * SHARE;
}

/** Whether a tenth of all prices jumped threefold at once, which means mixed-up units or rows. Single coins do jump. */
export function isJump(pairs: readonly (readonly [before: number, after: number])[]): boolean {
  return isTenth(pairs.filter(([before, after]) => isFar(before, after)).length, pairs.length);
}
