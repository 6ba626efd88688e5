import { mappedIn } from '../../functions/marketdata/jobs/markets/state.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import {
  type MarketState,
  mapText,
  quotesText,
  type SourceState,
} from '../../shared/marketdata/sources/source-map.ts';
import { encodeHours } from '../../shared/marketdata/store/hours-file.ts';
import { encodeSamples } from '../../shared/marketdata/store/sample-file.ts';
import { encodeTail, type TailRow, tailChanges } from '../../shared/marketdata/tail/tail-file.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { inventedCandles } from '../invented-candles.ts';

/** Bytes of the objects of other sources. */
export interface SourcesBytes {
  /** Hours of exchanges of a day. */
  readonly exact: number;
  readonly map: number;
  readonly quotes: number;
  readonly tail: number;
  readonly tailSamples: number;
}

const START = Date.UTC(2026, 0, 1);
const INTERVAL_SECONDS = 600;
const exchanges = ['coinbase', 'kraken', 'binance'] as const;
const changes = Object.fromEntries(
  Object.keys(tailChanges).map((name) => [name, 1.23]),
) as TailRow['changes']; // the entries are exactly the names

/**
 * The objects as the service's own encoders make them: of so many coins that exchanges trade, each on two of them, of so
 * many markets in all, and of so many coins that are priced by their contracts.
 */
export function sourcesBytes(traded: number, markets: number, priced: number): SourcesBytes {
  const ids = simulatedEntries(traded + priced).map(({ id }) => id);
  const [mapped, tail] = [ids.slice(0, traded), ids.slice(traded)];
  const state = stateOf(mapped, markets);
  const { coins, quotes } = mappedIn(state, { fetched: [], now: START });
  const hours = inventedCandles({ from: START, count: 24, stepMs: HOUR_MS, price: 100, source: 'coinbase' });
  const taken = { takenAt: START, intervalSeconds: INTERVAL_SECONDS, source: 'defillama' };
  return {
    exact: encodeHours({
      day: START,
      intervalSeconds: INTERVAL_SECONDS,
      source: 'coinbase',
      coins: new Map(mapped.map((id) => [id, hours])),
    }).length,
    map: mapText({ coins, state, at: START }).length,
    quotes: quotesText(quotes).length,
    tail: encodeTail({
      ...taken,
      rows: tail.map((id) => ({ id, price: 1.5, at: START, takenAt: START, changes })),
    }).length,
    tailSamples: encodeSamples(
      tail.map((id) => ({ id, price: 1.5, volume: null, market_cap: null })),
      taken,
    ).length,
  };
}

/** Every coin on two exchanges; the other markets trade nothing that is known, and have two candidates each. */
function stateOf(ids: readonly string[], markets: number): SourceState {
  const marketOf = (index: number): MarketState => {
    const coin = ids[Math.floor(index / 2)];
    const candidates = [coin ?? 'some-other-coin', 'some-coin'].map((id) => ({
      coin: id,
      agreed: 3,
      far: 0,
      ahead: 0,
      unconfirmed: 0,
      verdict: 'agrees' as const,
      since: START - DAY_MS,
    }));
    return {
      market: `COIN${index}-USD`,
      base: `COIN${index}`,
      quote: 'USD',
      isOpen: true,
      last: { price: 1234.56 + index, volume: 1_234_567.89 },
      mapped: coin === undefined ? null : { coin, since: START - DAY_MS },
      lost: null,
      candidates,
    };
  };
  const all = Array.from({ length: markets }, (_, index) => marketOf(index));
  return {
    takenAt: START,
    exchanges: exchanges.map((exchange, place) => ({
      exchange,
      listedAt: START,
      listed: markets,
      markets: all.filter((_, index) => index % exchanges.length === place),
    })),
  };
}
