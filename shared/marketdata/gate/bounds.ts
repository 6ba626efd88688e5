/** Real prices go down to 4e-18 dollars; the dearest coins cost some hundred thousand. */
const MAX_PRICE = 1e15;

/** In percent of 24 hours: nothing loses more than all of its price, and nothing ever grew ten thousandfold. */
const CHANGES = { least: -100, most: 1e6 } as const;

/** By so much the provider's clock may be ahead of ours. */
export const MAX_CLOCK_LEAD_MS = 60_000;

/** The first block of Bitcoin: a time before it is in another unit. */
export const FIRST_TIME = Date.UTC(2009, 0, 3);

export function isPrice(value: number): boolean {
  return value > 0 && value < MAX_PRICE;
}

export function isChange(percent: number): boolean {
  return percent >= CHANGES.least && percent < CHANGES.most;
}
