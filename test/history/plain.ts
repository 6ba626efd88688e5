import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { Run } from './market.ts';

/** A coin's candles of so many milliseconds, made of all runs at once, as a reader would make them with a pencil. */
export function plainCandles(
  runs: readonly Run[],
  id: string,
  { stepMs, until, minutes }: { readonly stepMs: number; readonly until: number; readonly minutes: number },
): StoredCandle[] {
  const seen = runs
    .flatMap(({ takenAt, coins }) =>
      coins.filter((coin) => coin.id === id).map((coin) => ({ takenAt, coin })),
    )
    .sort((a, b) => a.takenAt - b.takenAt);
  const openings = [...new Set(seen.map(({ takenAt }) => takenAt - (takenAt % stepMs)))];
  return openings
    .filter((opensAt) => opensAt + stepMs <= until)
    .map((opensAt) => {
      const own = seen.filter(({ takenAt }) => takenAt >= opensAt && takenAt < opensAt + stepMs);
      const prices = own.map(({ coin }) => coin.price);
      const last = own.at(-1);
      if (!last) throw new Error('an opening without samples');
      const part = stepMs / 36_000; // as exact as a stored candle has its time
      const isFromLastHour = last.takenAt >= opensAt + stepMs - 3_600_000;
      return {
        opensAt,
        open: prices[0] ?? 0,
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: last.coin.price,
        volume: isFromLastHour && stepMs > 3_600_000 ? last.coin.volume : null,
        market_cap: last.coin.market_cap,
        volume_24h: last.coin.volume,
        quality: own.length * minutes * 60_000 >= 0.8 * stepMs ? 'sampled' : 'derived',
        samples: own.length,
        lastAt: opensAt + Math.ceil((last.takenAt - opensAt) / part) * part,
        isSettled: true,
        source: 'simulated',
      };
    });
}
