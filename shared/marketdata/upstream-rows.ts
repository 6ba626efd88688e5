import { ApiError, isOutage } from '../http/errors.ts';
import { type Answer, currentAnswer, type Patience } from './answer.ts';
import { type BaseCandle, type Candle, derive, isoSeconds, listed, type PricePoint } from './candles.ts';
import type { BaseRows } from './history-of.ts';
import { lifetimes } from './lifetimes.ts';
import type { HistoryKind, PlanLimits } from './plan-limits.ts';
import { type HistoryQuery, PlanRefusal, type ProviderRequest } from './provider.ts';
import type { Kept, ProviderClient } from './provider-client.ts';
import type { KnownPrice } from './running.ts';
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
  /** As the coin registry has it. */
  readonly isActive?: boolean | undefined;
}

export type HistoryClient = ProviderClient<'candles' | 'prices'>;
export type WindowQuery = HistoryQuery & { readonly window: Window };

/** The rows of a window, with the answers that they are from. */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly answers: readonly Answer<Series<unknown>>[];
  /** Rows that opened before had closed when they were made; milliseconds since the epoch. */
  readonly closedUntil: number;
}

/** One window of a coin's history, asked of a provider within what its plan is known to give. */
export class HistoryRequest {
  readonly #client: HistoryClient;
  readonly #query: WindowQuery;
  readonly #options: UpstreamOptions;
  readonly #plan: PlanLimits;
  readonly #now = Date.now();
  /** Where prices at hand begin that the plan has cut for another instance, or long ago. */
  #cutAt = Number.NEGATIVE_INFINITY;

  constructor(client: HistoryClient, query: WindowQuery, options: UpstreamOptions, plan: PlanLimits) {
    [this.#client, this.#query, this.#options, this.#plan] = [client, query, options, plan];
  }

  /** As `Upstream.rows` says it. */
  async answer(): Promise<BaseRows> {
    const { window } = this.#query;
    // Of a plan without candles there are only prices: both are looked for at the same time.
    const isRefused = this.#reach('candles') > window.from;
    const [exact] = await Promise.all([this.#exact(), isRefused && this.#recall('prices')]);
    if (exact) return told(exact.rows, 'exact', exact);
    const prices = await this.#prices();
    return told(derive(prices.rows, this.#query.window), 'derived', prices);
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
        return await this.#find('candles', window, ask, ({ time_open }) => time_open);
      } catch (error) {
        // Whether the plan still refuses cannot be found out now; what it allows may be at hand from before.
        if (isOutage(error) && this.#plan.hasRefused('candles', window.base)) return undefined;
        if (!(error instanceof PlanRefusal)) throw error;
        await this.#note('candles', error);
      }
    }
    // What is there is there, whatever a plan refuses now.
    return this.#find('candles', window, undefined, ({ time_open }) => time_open);
  }

  async #note(kind: HistoryKind, refusal: PlanRefusal): Promise<void> {
    const { window, id } = this.#query;
    await this.#plan.note(kind, window.base, id, refusal, this.#now, await this.#client.planMemory());
  }

  async #prices(): Promise<Found<PricePoint>> {
    const { window, id } = this.#query;
    const ask = (piece: Piece) => this.#client.provider.prices({ ...this.#query, window: piece }, piece.from);
    // A second time if the first refusal told how far back the plan reaches.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const reach = this.#reach('prices');
      if (reach >= window.to) break;
      const from = Math.max(this.#lenderOf(window), reach);
      try {
        const found = await this.#find('prices', { ...window, from }, ask, ({ timestamp }) => timestamp);
        if (found) return found;
      } catch (error) {
        if (!(error instanceof PlanRefusal)) throw error;
        await this.#note('prices', error);
      }
    }
    throw beyondPlan(Math.max(this.#plan.earliest('prices', window.base, id), this.#cutAt));
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
    timeOf: (row: Row) => string,
  ): Promise<Found<Row> | undefined> {
    const answers: Answer<Series<Row>>[] = [];
    const rows: Row[] = [];
    let closedUntil = 0;
    for (const piece of this.#piecesOf(kind, window)) {
      const part = { ...window, from: Math.max(window.from, closedUntil), to: Math.min(window.to, piece.to) };
      const answer = await this.#part(kind, piece, part, ask);
      const isCut = answer !== undefined && answer.data.from > part.from;
      const mayBeCut = kind === 'prices' && answers.length === 0;
      if (isCut && mayBeCut) this.#cutAt = answer.data.from;
      if (!answer || (isCut && !(mayBeCut && answer.data.from < part.to))) return undefined;
      answers.push(answer);
      rows.push(
        ...answer.data.rows.filter((row) => {
          const time = Date.parse(timeOf(row));
          return time >= part.from && time < part.to;
        }),
      );
      // A stale answer may be from before the piece was closed.
      closedUntil = Math.min(piece.to, knownUntil(answer));
    }
    return { rows, answers, closedUntil };
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
  ): Promise<Answer<Series<Row>> | undefined> {
    const key = this.#keyOf(kind, piece);
    const enough = async (kept: Kept<Series<Row>>) =>
      isEnough(kept, part, (await this.#priceOf(part))?.madeAt, this.#now);
    if (!ask) {
      const kept = this.#client.cache.kept<Series<Row>>(key) ?? (await this.#client.recall<Series<Row>>(key));
      return kept && (await enough(kept)) ? { ...kept, stale: false } : undefined;
    }
    const reached = { ...piece, from: Math.max(piece.from, this.#reach(kind)) };
    const price = async () => (await this.#priceOf(piece))?.price;
    const others = { isEnough: enough, isActive: this.#options.isActive, price };
    return currentAnswer(
      this.#client,
      key,
      seriesRequest(ask(reached), reached, this.#now, others),
      this.#options,
    );
  }

  #keyOf(kind: HistoryKind, { base, name }: Piece): string {
    const { id, quote } = this.#query;
    return `${kind}/${id}/${quote}/${base}/${name}`;
  }

  /** The price at hand, if it says anything of the part: it is of late, and the part has the running candle. */
  async #priceOf({ closed, to }: Span): Promise<KnownPrice | undefined> {
    if (closed || to <= runningFrom(this.#now, this.#query.window)) return undefined;
    const price = await this.#options.price?.();
    return price && this.#now - price.madeAt < lifetimes.history.runningMs ? price : undefined;
  }
}

function told(
  rows: readonly Candle[],
  quality: BaseCandle['quality'],
  { answers, closedUntil }: Found<unknown>,
): BaseRows {
  const source = listed(...answers.map((answer) => answer.source));
  return {
    rows: rows.map((row) => ({ ...row, quality, source })),
    source,
    madeAt: Math.max(...answers.map(({ madeAt }) => madeAt)),
    freshUntil: Math.min(...answers.map((answer) => answer.freshUntil)),
    stale: answers.some(({ stale }) => stale),
    closedUntil,
  };
}

function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  const problem = "The provider's plan has no prices for this interval so far back";
  return new ApiError(400, `${problem}; allowed: ${allowed}`);
}
