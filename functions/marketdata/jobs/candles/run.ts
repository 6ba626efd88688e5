import { ApiError } from '../../../../shared/http/errors.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { Span } from '../../../../shared/marketdata/window.ts';
import { batchOf, compare, type KnownPrices } from './batch.ts';
import type { Lane } from './lane.ts';
import type { RateAt } from './rates.ts';

/** A mapped coin in one run. */
export interface Coin {
  readonly id: string;
  /** Those of exchanges that may be asked, the preferred one first. */
  readonly markets: readonly MappedMarket[];
}

export interface Asked {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** Whether all were asked that should be, and everything was usable. */
  readonly isWhole: boolean;
  /** Whether candles were left out, because nobody knows what their quote was worth. */
  readonly lacksRates: boolean;
}

/** Asks markets, compares what they say, and keeps in mind what was wrong with it. */
export class Run {
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly deadline: number;
  /** Markets whose candles were refused, with the reason. */
  readonly refused = new Map<string, string>();
  /** Those of them that told prices of another coin: nothing else is asked of them. */
  readonly #strangers: Set<string>;

  /** One that `follows` another knows what that has refused. */
  constructor(lanes: ReadonlyMap<string, Lane>, deadline: number, follows?: Run) {
    this.lanes = lanes;
    this.deadline = deadline;
    this.#strangers = follows ? follows.#strangers : new Set();
  }

  get isOver(): boolean {
    return Date.now() >= this.deadline;
  }

  /** The exchanges that were asked no more before all was done, with the reason. */
  get stopped(): ReadonlyMap<string, string> {
    const reasons = [...this.lanes.values()].map(({ name, stopped }) => [name, stopped] as const);
    return new Map(reasons.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])));
  }

  /**
   * A market's candles of a span, the latest first asked for, as far back as there are any. Never throws for what an
   * exchange says.
   */
  async candlesOf(
    market: MappedMarket,
    span: Span,
    { known, rateAt }: { readonly known: KnownPrices; readonly rateAt: RateAt },
  ): Promise<Asked> {
    const found: StoredCandle[] = [];
    let lacksRates = false;
    const name = `${market.exchange} ${market.market}`;
    if (this.#strangers.has(name)) return { candles: [], isWhole: false, lacksRates };
    try {
      const lane = this.lanes.get(market.exchange);
      if (!lane) return { candles: [], isWhole: true, lacksRates };
      for (const window of partsOf(span, lane.rows)) {
        const received = await lane.ask({ market: market.market, window }, this.deadline);
        const batch = batchOf(received, market, span.stepMs, rateAt);
        compare(batch.candles, known, span.stepMs, Date.now());
        found.unshift(...batch.candles);
        lacksRates ||= batch.lacksRates;
        if (received.data.length === 0) break; // it did not trade the coin before
      }
      return { candles: found, isWhole: true, lacksRates };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Implausible)) throw error;
      if (isOfMarket(error)) this.refused.set(name, error.message);
      if (error instanceof Implausible) this.#strangers.add(name);
      return { candles: error instanceof Implausible ? [] : found, isWhole: false, lacksRates };
    }
  }
}

/** Whether it says something of the market, and not of the exchange. */
function isOfMarket(error: ApiError | Implausible): boolean {
  return error instanceof Implausible || error instanceof UnusableAnswer || error.statusCode === 404;
}

/** Spans of so many rows at most, the latest first. */
function* partsOf(span: Span, rows: number): Iterable<Span> {
  for (let to = span.to; to > span.from; to -= rows * span.stepMs) {
    const from = Math.max(span.from, to - rows * span.stepMs);
    yield { ...span, from, to, closed: span.closed || to < span.to };
  }
}
