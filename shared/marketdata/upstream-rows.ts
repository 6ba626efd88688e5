import { ApiError, isOutage } from '../http/errors.ts';
import { type Answer, currentAnswer, type Patience } from './answer.ts';
import { type BaseCandle, type Candle, derive, isoSeconds, listed, type PricePoint } from './candles.ts';
import { Implausible } from './gate/implausible.ts';
import { candleKind, compareWithPrice, type Kind, priceKind } from './gate/series.ts';
import { type BaseRows, newestData } from './history-of.ts';
import { lifetimes } from './lifetimes.ts';
import type { HistoryKind, PlanLimits } from './plan-limits.ts';
import { type HistoryQuery, PlanRefusal, type ProviderRequest, UnusableAnswer } from './provider.ts';
import type { Kept, ProviderClient } from './provider-client.ts';
import { BITCOIN, type KnownPrice } from './running.ts';
import {
  isEnough,
  knownUntil,
  type Piece,
  piecesOf,
  runningFrom,
  type Series,
  seriesRequest,
} from './series.ts';
import type { Span, Window } from './window.ts';

export interface UpstreamOptions extends Patience {
  /** The newest price of the coin that costs no request, in the quote's currency. */
  readonly price?: () => Promise<KnownPrice | undefined>;
  /** Where the candles begin that are ours, whatever the plan; milliseconds since the epoch. */
  readonly storedFrom?: () => Promise<number | undefined>;
  /** As the coin registry has it. */
  readonly isActive?: boolean | undefined;
}

/** A coin's price in USD, of late, wherever it comes from; undefined if nobody knows one. */
export type PriceLookup = (id: string) => Promise<number | undefined>;

interface RequestOptions extends UpstreamOptions {
  readonly priceOf: PriceLookup;
}

export type HistoryClient = ProviderClient<'candles' | 'prices'>;
export type WindowQuery = HistoryQuery & { readonly window: Window };

/** The rows of a window, with the answers that they are from. */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly answers: readonly Answer<Series<unknown>>[];
  /** Rows that opened before had closed when they were made; milliseconds since the epoch. */
  readonly closedUntil: number;
  readonly isUnconfirmed: boolean;
}

/** One window of a coin's history, asked of a provider within what its plan is known to give. */
export class HistoryRequest {
  readonly #client: HistoryClient;
  readonly #query: WindowQuery;
  readonly #options: RequestOptions;
  readonly #plan: PlanLimits;
  readonly #now = Date.now();
  #looked: Promise<number | undefined> | undefined;
  /** Where prices at hand begin that the plan has cut for another instance, or long ago. */
  #cutAt = Number.NEGATIVE_INFINITY;

  constructor(client: HistoryClient, query: WindowQuery, options: RequestOptions, plan: PlanLimits) {
    [this.#client, this.#query, this.#options, this.#plan] = [client, query, options, plan];
  }

  /** As `Upstream.rows` says it. */
  async answer(): Promise<BaseRows> {
    const { window } = this.#query;
    // Of a plan without candles there are only prices: both are looked for at the same time.
    const isRefused = this.#reach('candles') > window.from;
    const [exact] = await Promise.all([this.#exact(), isRefused && this.#recall('prices')]);
    if (exact) return baseRows(exact.rows, exact.isUnconfirmed ? 'derived' : 'exact', exact, window);
    const prices = await this.#prices();
    return baseRows(derive(prices.rows, window), 'derived', prices, window);
  }

  /** Takes over what other instances have of the window. */
  async #recall(kind: HistoryKind): Promise<void> {
    const keys = this.#piecesOf(kind, this.#query.window)
      .map((piece) => this.#keyOf(kind, piece))
      .filter((key) => !this.#client.cache.kept(key));
    await Promise.all(keys.map((key) => this.#client.recall(key)));
  }

  /** Undefined if the plan refuses them. */
  async #exact(): Promise<Found<Candle> | undefined> {
    const { window } = this.#query;
    const ask = (piece: Piece) => this.#client.provider.candles({ ...this.#query, window: piece });
    // A second time if the first refusal told of a reach that includes all that is asked for.
    for (let attempt = 0; attempt < 2 && this.#reach('candles') <= window.from; attempt += 1) {
      try {
        return await this.#find('candles', window, ask, candleKind);
      } catch (error) {
        // Whether the plan still refuses cannot be found out now; what it allows may be at hand from before.
        if (isOutage(error) && this.#plan.hasRefused('candles', window.base)) return undefined;
        if (!(error instanceof PlanRefusal)) throw error;
        await this.#note('candles', error);
      }
    }
    // What is there is there, whatever a plan refuses now.
    return this.#find('candles', window, undefined, candleKind);
  }

  async #note(kind: HistoryKind, refusal: PlanRefusal): Promise<void> {
    const { window, id } = this.#query;
    await this.#plan.note(kind, window.base, id, refusal, this.#now, await this.#client.planMemory());
  }

  async #prices(): Promise<Found<PricePoint>> {
    const { window } = this.#query;
    const ask = (piece: Piece) => this.#client.provider.prices({ ...this.#query, window: piece }, piece.from);
    // A second time if the first refusal told how far back the plan reaches.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const reach = this.#reach('prices');
      if (reach >= window.to) break;
      const from = Math.max(this.#lenderOf(window), reach);
      try {
        const found = await this.#find('prices', { ...window, from }, ask, priceKind);
        if (found) return found;
      } catch (error) {
        if (!(error instanceof PlanRefusal)) throw error;
        await this.#note('prices', error);
      }
    }
    const planned = Math.max(this.#reach('prices'), this.#cutAt);
    throw beyondPlan(Math.min(planned, (await this.#options.storedFrom?.()) ?? planned));
  }

  /** The first base interval of the coin that the plan is not known to refuse. */
  #reach(kind: HistoryKind): number {
    const { id, window } = this.#query;
    return Math.ceil(this.#plan.earliest(kind, window.base, id) / window.stepMs) * window.stepMs;
  }

  /**
   * The rows of a window out of all the pieces that it takes, from a cache or asked for; undefined if there is none of
   * one of them, or not from its beginning on. Prices may begin later, where the plan did when they were asked for:
   * this instance may not know of that, and there is nothing to take in their place.
   */
  async #find<Row>(
    kind: HistoryKind,
    window: Span,
    ask: ((piece: Piece) => ProviderRequest<Row[]>) | undefined,
    rowKind: Kind<Row>,
  ): Promise<Found<Row> | undefined> {
    const answers: Answer<Series<Row>>[] = [];
    const rows: Row[] = [];
    let closedUntil = 0;
    let isUnconfirmed = false;
    for (const piece of this.#piecesOf(kind, window)) {
      const part = { ...window, from: Math.max(window.from, closedUntil), to: Math.min(window.to, piece.to) };
      const answer = await this.#part(kind, piece, part, ask, rowKind);
      const isCut = answer !== undefined && answer.data.from > part.from;
      const mayBeCut = kind === 'prices' && answers.length === 0;
      if (isCut && mayBeCut) this.#cutAt = answer.data.from;
      if (!answer || (isCut && !(mayBeCut && answer.data.from < part.to))) return undefined;
      answers.push(answer);
      rows.push(
        ...answer.data.rows.filter((row) => {
          const time = Date.parse(rowKind.time(row));
          return time >= part.from && time < part.to;
        }),
      );
      isUnconfirmed ||=
        !piece.closed && !answer.data.isConfirmed && (await this.#reference(piece)) === undefined;
      // A stale answer may be from before the piece was closed.
      closedUntil = Math.min(piece.to, knownUntil(answer));
    }
    return { rows, answers, closedUntil, isUnconfirmed };
  }

  #piecesOf(kind: HistoryKind, window: Span): Piece[] {
    const { rows, latest } = this.#client.provider.limits;
    return piecesOf(window, { rows: rows[kind], latest: latest[kind] }, this.#now);
  }

  /** From one step before the window, whose price the first candle opens with, if that costs no other request. */
  #lenderOf(window: Span): number {
    const from = window.from - window.stepMs;
    const longer = this.#piecesOf('prices', { ...window, from });
    const own = this.#piecesOf('prices', window);
    // A plan may give no more than the latest rows.
    const isRisky = own[0]?.name === 'latest' && longer[0]?.name !== 'latest';
    return longer.length === own.length && !isRisky ? from : window.from;
  }

  async #part<Row>(
    kind: HistoryKind,
    piece: Piece,
    part: Span,
    ask: ((piece: Piece) => ProviderRequest<Row[]>) | undefined,
    rowKind: Kind<Row>,
  ): Promise<Answer<Series<Row>> | undefined> {
    const key = this.#keyOf(kind, piece);
    const contradiction = (series: Series<Row>) => this.#contradiction(series, piece, rowKind);
    const isUsable = async ({ data }: Kept<Series<Row>>) => (await contradiction(data)) === undefined;
    const enough = async (kept: Kept<Series<Row>>) =>
      isEnough(kept, part, (await this.#priceOf(part))?.madeAt, this.#now) && isUsable(kept);
    if (!ask) {
      const kept = this.#client.cache.kept<Series<Row>>(key) ?? (await this.#client.recall<Series<Row>>(key));
      return kept && (await enough(kept)) ? { ...kept, stale: false } : undefined;
    }
    const reached = { ...piece, from: Math.max(piece.from, this.#reach(kind)) };
    const price = () => this.#reference(piece);
    const others = { isEnough: enough, isUsable, isActive: this.#options.isActive, price };
    const request = seriesRequest(ask(reached), reached, this.#now, others);
    const answer = await currentAnswer(this.#client, key, request, this.#options);
    // One that stands in was kept before anybody knew the price.
    const wrong = await contradiction(answer.data);
    if (wrong === undefined) return answer;
    throw new UnusableAnswer(`${this.#client.provider.title} gave an implausible answer: ${wrong}`);
  }

  /** Why rows that came while nobody knew the coin's price cannot be the coin's, by a price that is known now. */
  async #contradiction<Row>(
    { rows, isConfirmed }: Series<Row>,
    piece: Piece,
    rowKind: Kind<Row>,
  ): Promise<string | undefined> {
    const price = isConfirmed ? undefined : await this.#reference(piece);
    try {
      if (price !== undefined) compareWithPrice(rowKind, rows, price, piece.stepMs);
      return undefined;
    } catch (error) {
      if (error instanceof Implausible) return error.message;
      throw error;
    }
  }

  #keyOf(kind: HistoryKind, { base, name }: Piece): string {
    const { id, quote } = this.#query;
    return `${kind}/${id}/${quote}/${base}/${name}`;
  }

  /** What the newest rows are held against; undefined for those of long ago, and if nobody knows a price of the coin. */
  async #reference(piece: Piece): Promise<number | undefined> {
    if (piece.closed) return undefined;
    const { id, quote } = this.#query;
    const known = await this.#priceOf(piece);
    if (known) return known.price;
    this.#looked ??= referencePrice(this.#options.priceOf, id, quote);
    return this.#looked;
  }

  /** The price at hand, if it says anything of the part: it is of late, and the part has the running candle. */
  async #priceOf({ closed, to }: Span): Promise<KnownPrice | undefined> {
    if (closed || to <= runningFrom(this.#now, this.#query.window)) return undefined;
    const price = await this.#options.price?.();
    return price && this.#now - price.madeAt < lifetimes.history.runningMs ? price : undefined;
  }
}

/** A candle that still ran was known up to when it was made and no further: that is its `time_close`. */
function baseRows(
  candles: readonly Candle[],
  quality: BaseCandle['quality'],
  { answers, closedUntil, isUnconfirmed }: Found<unknown>,
  { stepMs }: Span,
): BaseRows {
  const source = listed(...answers.map((answer) => answer.source));
  const madeAt = Math.max(...answers.map((answer) => answer.madeAt));
  const rows = candles.map((candle) => {
    const knownUntil = Math.max(Date.parse(candle.time_open), closedUntil);
    const isAhead = Date.parse(candle.time_close) > knownUntil;
    return { ...candle, time_close: isAhead ? isoSeconds(knownUntil) : candle.time_close, quality, source };
  });
  return {
    rows,
    source,
    madeAt: newestData(rows, stepMs, madeAt),
    freshUntil: Math.min(...answers.map((answer) => answer.freshUntil)),
    stale: answers.some(({ stale }) => stale),
    closedUntil,
    isUnconfirmed,
  };
}

async function referencePrice(
  priceOf: PriceLookup,
  id: string,
  quote: HistoryQuery['quote'],
): Promise<number | undefined> {
  const [price, unit] = await Promise.all([priceOf(id), quote === 'usd' ? 1 : priceOf(BITCOIN)]);
  return price === undefined || unit === undefined ? undefined : price / unit;
}

function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  const problem = "The provider's plan has no prices for this interval so far back";
  return new ApiError(400, `${problem}; allowed: ${allowed}`);
}
