import type { Coin } from './coins.ts';
import { inactive, priceMissing, requestFailure } from './failure.ts';
import type { FailureResult, PriceResult } from './result.ts';
import type { RunContext } from './run-context.ts';

/** The prices of one coin or more; those that were not found are `missing`, and the others told. Rejects as the client does. */
export async function runPrice(
  coins: readonly [Coin, ...Coin[]],
  missing: readonly FailureResult[],
  command: PriceResult['command'],
  context: RunContext,
): Promise<PriceResult | FailureResult> {
  const { api, tickers } = context;
  const [coin] = coins;
  if (coins.length === 1) {
    try {
      const prices = [{ coin, ...(await tickers.ask(api, coin.id)) }];
      return { kind: 'price', command, prices, missing };
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
