import { ENOUGH, OFF } from '../../../../shared/marketdata/sources/enough.ts';
import type { ExchangeState, MarketState } from '../../../../shared/marketdata/sources/source-map.ts';
import { isWithin } from '../off.ts';

/** Nobody agrees by chance for so long: a coin that has had markets for less may be the wrong one. */
const NEW_FOR_MS = 3_600_000;

/** Whether a market of that exchange keeps its coin, however far off the ticker is. */
export type IsBacked = (exchange: string, market: MarketState) => boolean;

/**
 * A market is backed if one of the same coin at another exchange says the same in this run: then it is the ticker that is
 * wrong. Not if the coin is new to both, and another one of the symbol agrees: then they mean that one.
 */
export function backedBy(exchanges: readonly ExchangeState[], now: number): IsBacked {
  const mapped = exchanges.flatMap(({ exchange, markets }) =>
    markets.flatMap(({ mapped: own, isOpen, said }) =>
      own ? [{ exchange, ...own, price: isOpen ? said?.price : undefined }] : [],
    ),
  );
  const byCoin = Map.groupBy(mapped, ({ coin }) => coin);
  return (exchange, { mapped: own, said, candidates }) => {
    if (!own || !said) return false;
    const all = byCoin.get(own.coin) ?? [];
    const isNew = now - Math.min(...all.map(({ since }) => since)) < NEW_FOR_MS;
    if (isNew && candidates.some(({ coin, agreed }) => coin !== own.coin && agreed >= ENOUGH.agreed)) {
      return false;
    }
    return all.some(
      (one) =>
        one.exchange !== exchange && one.price !== undefined && isWithin(OFF.agrees, said.price, one.price),
    );
  };
}
