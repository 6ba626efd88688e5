import type { Api } from './api.ts';
import type { Coin } from './coins.ts';
import { inactive, priceMissing, requestFailure } from './failure.ts';
import { ranges } from './parse/ranges.ts';
import type { FailureResult, PriceResult } from './result.ts';
import type { RunContext } from './run-context.ts';
import { type SeriesCandle, toSeries } from './series.ts';

/** The prices of one coin or more; those that were not found are `missing`, and the others told. Rejects as the client does. */
export async function runPrice(
  coins: readonly [Coin, ...Coin[]],
  missing: readonly FailureResult[],
  command: PriceResult['command'],
  context: RunContext,
): Promise<PriceResult | FailureResult> {
  const { api, tickers, wantsWeek } = context;
  const [coin] = coins;
  if (coins.length === 1) {
    const week = wantsWeek ? weekOf(api, coin) : undefined;
    try {
      const prices = [{ coin, ...(await tickers.ask(api, coin.id)) }];
      return { kind: 'price', command, prices, missing, week: week && (await inTime(week)) };
    } catch (error) {
      return requestFailure(error, command, context, coin);
    }
  }
  const answers = await tickers.askAll(
    api,
    coins.map(({ id }) => id),
  );
  const prices = coins.flatMap((each, index) => {
    const ticker = answers[index];
    return ticker && !('error' in ticker) ? [{ coin: each, ...ticker }] : [];
  });
  const without = answers.flatMap((answer, index) => {
    const each = coins[index];
    if (!('error' in answer)) return [];
    return [each && !each.isActive ? inactive(each) : priceMissing(answer)];
  });
  const [first, ...others] = [...missing, ...without];
  if (prices.length === 0 && first) return first;
  return { kind: 'price', command, prices, missing: first ? [first, ...others] : [] };
}

/** Nobody waits longer for it once the price is there. */
const WEEK_WAIT_MS = 1000;

/** Undefined if it cannot be had: it is an ornament. */
async function weekOf(api: Api, { id }: Coin): Promise<readonly SeriesCandle[] | undefined> {
  try {
    const { data } = await api.ohlcv({ id, ...ranges['7d'] });
    return toSeries(data.data);
  } catch {
    return undefined;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), WEEK_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
