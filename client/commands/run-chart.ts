import type { Coin } from './coins.ts';
import type { ChartRange } from './command.ts';
import { requestFailure } from './failure.ts';
import { rangeNameOf, wholeRange } from './parse/ranges.ts';
import { provenanceOf } from './provenance.ts';
import type { ChartResult, CoinCandles, FailureResult } from './result.ts';
import type { RunContext } from './run-context.ts';

/**
 * The candles of a coin that is known already, and of those that it is compared with, with their prices, as they are told:
 * no coin is looked up again. Never throws.
 */
export async function runChart(
  coin: Coin,
  command: ChartResult['command'],
  context: RunContext,
  others: readonly Coin[] = [],
): Promise<ChartResult | FailureResult> {
  try {
    const range = await rangeOf(coin, command, context);
    const [own, ...compared] = await Promise.all([
      candlesOf(coin, { ...command, range }, context),
      ...eachOnce([coin, ...others])
        .slice(1)
        .map((each) => candlesOf(each, { ...command, range }, context)),
    ]);
    return { kind: 'chart', command, ...own, compared };
  } catch (error) {
    return requestFailure(error, command, context, coin);
  }
}

/** `all` is as long as the coin is old, or as far as its candles go back if there are fewer. */
async function rangeOf(
  { id }: Coin,
  { range }: ChartResult['command'],
  { api, now, tickers }: RunContext,
): Promise<ChartRange> {
  if (rangeNameOf(range) !== 'all') return range;
  const ticker = await tickers.recent(api, id).catch(() => undefined);
  const sinceFirstData = { ...range, ...wholeRange(ticker?.data.first_data_at, now()) };
  const { data } = await api.ohlcv({ id, ...sinceFirstData });
  // From the end of the oldest, which may begin long before the first price that is in it.
  return { ...range, ...wholeRange(data.data[0]?.time_close, now()) };
}

/** A coin that was named by its symbol and by its id is one. */
function eachOnce(coins: readonly Coin[]): readonly Coin[] {
  return coins.filter(({ id }, index) => coins.findIndex((coin) => coin.id === id) === index);
}

/** Without a ticker the candles speak for themselves. */
async function candlesOf(
  coin: Coin,
  { range }: ChartResult['command'],
  { api, now, tickers }: RunContext,
): Promise<CoinCandles> {
  const [answer, ticker] = await Promise.all([
    api.ohlcv({ id: coin.id, ...range }),
    range.quote === 'btc' ? undefined : tickers.recent(api, coin.id).catch(() => undefined),
  ]);
  return { coin, data: answer.data, provenance: provenanceOf(answer, now()), ticker };
}
