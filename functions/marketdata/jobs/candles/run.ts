import { ApiError } from '../../../../shared/http/errors.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { Span } from '../../../../shared/marketdata/window.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import { Lane } from '../lane.ts';
import { batchOf, compare, type KnownPrices } from './batch.ts';
import { RATE_WAIT_MS, type RateAt } from './rates.ts';

export type ExchangeClient = ProviderClient<'marketCandles'>;

/** One answer has its turn and its retry in that time. */
const LANE = { atATime: 2, answerMs: 15_000 } as const;

/** An exchange in all that is fetched of it in one run of the job. */
export interface ExchangeLane {
  readonly client: ExchangeClient;
  readonly lane: Lane;
}

export function exchangeLane(client: ExchangeClient): ExchangeLane {
  return { client, lane: new Lane(LANE) };
}

/** A mapped coin in one run. */
export interface Coin {
  readonly id: string;
  /** Those of exchanges that may be asked, the preferred one first. */
  readonly markets: readonly MappedMarket[];
}

export interface FetchedCandles {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** Whether all were asked that should be, and everything was usable. */
  readonly isWhole: boolean;
  /** The first day of which candles were left out, as long as what their quote was worth may become known. */
  readonly waitsFrom: number | undefined;
}

/** Asks markets, compares what they say, and keeps in mind what was wrong with it. */
export class Run {
  readonly lanes: ReadonlyMap<string, ExchangeLane>;
  readonly deadline: number;
  /** Markets whose candles were refused, with the reason. */
  readonly refused = new Map<string, string>();
  /** Markets of which candles were left out, because nobody knows what their quote was worth: of when, and for how long. */
  readonly waiting = new Map<string, string>();
  /** Those of them that told prices of another coin: nothing else is asked of them. */
  readonly #strangers: Set<string>;

  /** One that `follows` another knows what that has refused. */
  constructor(lanes: ReadonlyMap<string, ExchangeLane>, deadline: number, follows?: Run) {
    this.lanes = lanes;
    this.deadline = deadline;
    this.#strangers = follows ? follows.#strangers : new Set();
  }

  /** Whether there is no time left for one more answer. */
  get isOver(): boolean {
    return Date.now() + LANE.answerMs > this.deadline;
  }

  /** The exchanges that were asked no more before all was done, with the reason. */
  get stopped(): ReadonlyMap<string, string> {
    const reasons = [...this.lanes].map(([name, { lane }]) => [name, lane.stopped] as const);
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
  ): Promise<FetchedCandles> {
    const found: StoredCandle[] = [];
    let unpriced: readonly number[] = [];
    const name = `${market.exchange} ${market.market}`;
    if (this.#strangers.has(name)) return { candles: [], isWhole: false, waitsFrom: undefined };
    try {
      const exchange = this.lanes.get(market.exchange);
      if (!exchange) return { candles: [], isWhole: true, waitsFrom: undefined };
      const { client, lane } = exchange;
      for (const window of partsOf(span, client.provider.limits.rows.candles)) {
        const request = client.provider.marketCandles({ market: market.market, window });
        const received = await lane.fetch((until) => client.fetch(request, until), this.deadline);
        const batch = batchOf(received, market, span.stepMs, rateAt);
        compare(batch.candles, known, span.stepMs, Date.now());
        found.unshift(...batch.candles);
        unpriced = [...batch.unpriced, ...unpriced];
        if (received.data.length === 0) break; // it did not trade the coin before
      }
      return { candles: found, isWhole: true, waitsFrom: this.#waitsFrom(name, market, unpriced) };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Implausible)) throw error;
      if (isOfMarket(error)) this.refused.set(name, error.message);
      if (error instanceof Implausible) this.#strangers.add(name);
      const candles = error instanceof Implausible ? [] : found;
      return { candles, isWhole: false, waitsFrom: undefined };
    }
  }

  /** Of times that are ascending. */
  #waitsFrom(name: string, { quote, since }: MappedMarket, unpriced: readonly number[]): number | undefined {
    const days = [...new Set(unpriced.map((time) => Math.floor(time / DAY_MS) * DAY_MS))];
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const endOf = (day: number) => Math.max(day + DAY_MS, since) + RATE_WAIT_MS;
    const missing = `closes of ${quote} missing: ${days.length}, from ${dayOf(first)} to ${dayOf(last)}`;
    const waited = days.find((day) => Date.now() < endOf(day));
    const until = waited === undefined ? 'given up' : `waited for until ${dayOf(endOf(last))}`;
    this.waiting.set(name, `${missing}; ${until}`);
    return waited;
  }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

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
