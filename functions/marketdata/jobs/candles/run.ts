import { ApiError } from '../../../../shared/http/errors.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { MappedMarket, SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { Span } from '../../../../shared/marketdata/window.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import { Lane } from '../lane.ts';
import { batchOf, compare, type KnownPrices } from './batch.ts';
import { RATE_WAIT_MS, type RateAt } from './rates.ts';

export type ExchangeClient = ProviderClient<'marketCandles'>;

/** A response arrives within that time, with its turn and its retry. */
const LANE = { atATime: 2, answerMs: 15_000 } as const;

interface ExchangeLane {
  readonly client: ExchangeClient;
  readonly lane: Lane;
}

/** A mapped coin in one run. */
export interface Coin {
  readonly id: string;
  /** The coin's markets at the enabled exchanges, the preferred one first. */
  readonly markets: readonly MappedMarket[];
}

export interface FetchedCandles {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** Whether every exchange that was needed has answered, and all data was usable or is given up. */
  readonly isWhole: boolean;
}

/** What exchanges failed to deliver in one run; each item with the reason. */
export interface Report {
  /** Markets whose candles were rejected, and exchanges that are no longer queried. */
  readonly refused: readonly string[];
  readonly stopped: readonly string[];
  /** Markets with candles that could not be converted: the missing closes, and whether they are awaited. */
  readonly waiting: readonly string[];
}

const NAMED = 20;

/** Fetches candles from markets, compares them with stored prices, and records what is wrong with them. */
export class Run {
  readonly lanes: ReadonlyMap<string, ExchangeLane>;
  readonly deadline: number;
  /** Markets whose candles were rejected, with the reason. */
  readonly #refused = new Map<string, string>();
  /** Markets with candles that were left out for want of a quote's price: which days, and how long these are awaited. */
  readonly waiting = new Map<string, string>();
  /** Markets that returned another coin's prices; they are not queried again. */
  readonly #strangers = new Set<string>();

  constructor(clients: readonly ExchangeClient[], deadline: number) {
    this.lanes = new Map(clients.map((client) => [client.provider.name, { client, lane: new Lane(LANE) }]));
    this.deadline = deadline;
  }

  /** Whether there is too little time left for another response. */
  get isOver(): boolean {
    return Date.now() + LANE.answerMs > this.deadline;
  }

  get report(): Report {
    const stopped = [...this.lanes].flatMap(([name, { lane }]) =>
      lane.stopped === undefined ? [] : [[name, lane.stopped] as const],
    );
    const inWords = (reasons: Iterable<readonly [string, string]>) =>
      [...reasons].slice(0, NAMED).map(([name, reason]) => `${name}: ${reason}`);
    return { refused: inWords(this.#refused), stopped: inWords(stopped), waiting: inWords(this.waiting) };
  }

  /** A market's candles of a span, fetched from the latest back to the first. Never throws for an exchange's response. */
  async candlesOf(
    market: MappedMarket,
    span: Span,
    { known, rateAt }: { readonly known: KnownPrices; readonly rateAt: RateAt },
  ): Promise<FetchedCandles> {
    const found: StoredCandle[] = [];
    let unpriced: readonly number[] = [];
    const name = `${market.exchange} ${market.market}`;
    if (this.#strangers.has(name)) return { candles: [], isWhole: false };
    try {
      const exchange = this.lanes.get(market.exchange);
      if (!exchange) return { candles: [], isWhole: true };
      const { client, lane } = exchange;
      for (const window of partsOf(span, client.provider.limits.rows.candles)) {
        const request = client.provider.marketCandles({ market: market.market, window });
        const received = await lane.fetch((until) => client.fetch(request, until), this.deadline);
        const batch = batchOf(received, market, span.stepMs, rateAt);
        compare(batch.candles, known, span.stepMs, Date.now());
        found.unshift(...batch.candles);
        unpriced = [...batch.unpriced, ...unpriced];
        if (received.data.length === 0) break; // the exchange did not trade the coin before
      }
      return { candles: found, isWhole: !this.#isWaiting(name, market, unpriced) };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Implausible)) throw error;
      if (isOfMarket(error)) this.#refused.set(name, error.message);
      if (error instanceof Implausible) this.#strangers.add(name);
      const candles = error instanceof Implausible ? [] : found;
      return { candles, isWhole: false };
    }
  }

  /** Whether a close of the quote that candles at these ascending times need may still arrive. */
  #isWaiting(name: string, { quote, since }: MappedMarket, unpriced: readonly number[]): boolean {
    const days = [...new Set(unpriced.map((time) => Math.floor(time / DAY_MS) * DAY_MS))];
    const first = days[0];
    const last = days.at(-1);
    if (first === undefined || last === undefined) return false;
    const waitsUntil = Math.max(last + DAY_MS, since) + RATE_WAIT_MS;
    const isWaiting = Date.now() < waitsUntil;
    const missing = `closes of ${quote} missing: ${days.length}, from ${dayOf(first)} to ${dayOf(last)}`;
    this.waiting.set(name, `${missing}; ${isWaiting ? `awaited until ${dayOf(waitsUntil)}` : 'given up'}`);
    return isWaiting;
  }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Whether an error is about the market rather than the exchange. */
function isOfMarket(error: ApiError | Implausible): boolean {
  return error instanceof Implausible || error instanceof UnusableAnswer || error.statusCode === 404;
}

/** Parts of at most this many rows, the latest first. */
function* partsOf(span: Span, rows: number): Iterable<Span> {
  for (let to = span.to; to > span.from; to -= rows * span.stepMs) {
    const from = Math.max(span.from, to - rows * span.stepMs);
    yield { ...span, from, to, closed: span.closed || to < span.to };
  }
}

/** The coins that the enabled exchanges trade, by rank. */
export function tradedCoins(map: SourceMap, lanes: Run['lanes'], snapshot: Snapshot | undefined): Coin[] {
  const coins = Array.from(map.coins, ([id, markets]) => {
    const rank = snapshot?.ticker(id)?.data.rank || Number.POSITIVE_INFINITY;
    return { id, rank, markets: markets.filter(({ exchange }) => lanes.has(exchange)) };
  });
  return coins
    .filter(({ markets }) => markets.length > 0)
    .sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));
}

/** Coins in their order, grouped by the first exchange to query. */
export function byExchange<T extends Coin>(coins: readonly T[]): T[][] {
  return [...Map.groupBy(coins, ({ markets }) => markets[0]?.exchange).values()];
}
