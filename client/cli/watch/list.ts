import { type Conversion, converted, DOLLAR } from '../../commands/currency.ts';
import { explain } from '../../commands/failure.ts';
import { movement, type QuotedPrice } from '../../commands/format/numbers.ts';
import type { OptionValues } from '../../commands/parse/parse.ts';
import type { Holding } from '../../commands/portfolio-file.ts';
import { provenanceOf } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto, type RunContext } from '../../commands/run.ts';
import type { MissingTicker, RatedTicker } from '../../commands/tickers.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { Session } from '../session.ts';
import type { Variables } from '../terminal.ts';
import { currencyOf, type Worth, type Worths, worthsOf } from '../worth.ts';

/** A watched or held coin. */
export interface ListRow {
  readonly id: string;
  readonly coin: RatedTicker | MissingTicker;
  readonly isWatched: boolean;
  /** Undefined if it is not held. */
  readonly worth: Worth | undefined;
  /** Prices of seven days in US dollars, oldest first; null: unknown. */
  readonly week: readonly (number | null)[];
  /** The direction of its price since the previous response. */
  readonly moved: ReturnType<typeof movement>;
}

export interface ListResult {
  readonly kind: 'list';
  /** The rows in the order of the list; held coins that are not on it come last. */
  readonly rows: readonly ListRow[];
  /** Whether these are the largest coins because the list is empty. */
  readonly isDefault: boolean;
  readonly conversion: Conversion | undefined;
  /** When the prices expire: milliseconds since the epoch. */
  readonly freshUntil: number;
}

export type FetchList = (signal?: AbortSignal) => Promise<ListResult | FailureResult>;

const LARGEST = 10;
/** The most coins in one request. */
const MAX_IDS = 100;

/** The currency of a list, in capitals: the given one, else the default; undefined for the dollar. */
export function currencyFor(given: OptionValues, { config }: Session['settings']): string | undefined {
  const currency = (given.get('currency') ?? config.currency)?.toUpperCase();
  return currency === DOLLAR ? undefined : currency;
}

/**
 * Fetches prices, rates and weeks of all watched or held coins; the settings file is read each time, and data that
 * seldom changes is cached. Throws ConfigError if the file is invalid; the returned function never rejects.
 */
export function listOf(currency: string | undefined, session: Session, env: Variables): FetchList {
  let config = readConfig(env);
  let largest: readonly string[] = [];
  let prices: ReadonlyMap<string, QuotedPrice> = new Map();
  const weeks = rememberedWeeks();

  async function load(context: RunContext): Promise<ListResult | FailureResult> {
    const { watchlist = [], holdings = [] } = config;
    const isDefault = watchlist.length === 0;
    if (isDefault && largest.length === 0) largest = await largestCoins(context);
    const ids = [...new Set([...(isDefault ? largest : watchlist), ...holdings.map(({ id }) => id)])];
    const [answers, conversion, worths, weekOf] = await Promise.all([
      Promise.all(pagesOf(ids).map((page) => context.tickers.fetchAll(context.api, page))),
      currency === undefined ? undefined : conversionInto(currency, context),
      worthsIn(currency ?? DOLLAR, holdings, context),
      weeks(ids, context),
    ]);
    if (conversion && 'kind' in conversion) return conversion;
    const former = prices;
    const coins = answers.flat().map((coin) => ({ id: 'error' in coin ? coin.id : coin.data.id, coin }));
    prices = new Map(
      coins.map(({ id, coin }) => [
        id,
        { price: converted(priceOf(coin), conversion), quote: conversion?.currency },
      ]),
    );
    const rows = coins.map(({ id, coin }) => ({
      id,
      coin,
      isWatched: watchlist.includes(id),
      worth: worths.get(id),
      week: weekOf.get(id) ?? [],
      moved: movement(former.get(id), prices.get(id)),
    }));
    const lifetimes = coins.flatMap(({ coin }) => ('error' in coin ? [] : coin.provenance.freshUntil));
    return {
      kind: 'list',
      rows,
      isDefault,
      conversion,
      freshUntil: Math.min(...lifetimes, Number.MAX_SAFE_INTEGER),
    };
  }

  return async (signal) => {
    try {
      config = readConfig(env);
    } catch {
      // The file may be open in an editor: the last valid settings stay in use.
    }
    const context = session.contextOf(signal);
    try {
      return await load(context);
    } catch (error) {
      return explain(error, 'Price fetch failed for the list', context);
    }
  };
}

/** Adds a coin at the end of the watchlist, or at a position, unless it is already there. */
export function withCoin(config: Config, id: string, index = Number.POSITIVE_INFINITY): Config {
  const { watchlist = [] } = config;
  return watchlist.includes(id) ? config : { ...config, watchlist: watchlist.toSpliced(index, 0, id) };
}

export function withoutCoin(config: Config, id: string): Config {
  return { ...config, watchlist: config.watchlist?.filter((other) => other !== id) ?? [] };
}

function pagesOf(ids: readonly string[]): readonly (readonly string[])[] {
  const pages = Math.ceil(ids.length / MAX_IDS);
  return Array.from({ length: pages }, (_, page) => ids.slice(page * MAX_IDS, (page + 1) * MAX_IDS));
}

async function largestCoins({ api }: RunContext): Promise<readonly string[]> {
  const { data } = await api.tickers({ sort: 'rank', limit: LARGEST });
  return data.results.flatMap((item) => ('error' in item ? [] : item.id));
}

/** The weeks of coins by their ids, fetched again when they expire or a coin is new; coins without data are left out. */
function rememberedWeeks() {
  let weeks = new Map<string, ListRow['week']>();
  let freshUntil = 0;
  return async (ids: readonly string[], { api, now }: RunContext): Promise<typeof weeks> => {
    if (now() < freshUntil && ids.every((id) => weeks.has(id))) return weeks;
    try {
      const answers = await Promise.all(pagesOf(ids).map((page) => api.sparklines({ ids: page })));
      const coins = answers.flatMap(({ data }) => data.coins);
      // A coin without a week is not fetched again before the others expire.
      weeks = new Map(ids.map((id) => [id, []]));
      for (const coin of coins) if (!('error' in coin)) weeks.set(coin.id, coin.prices);
      freshUntil = Math.min(...answers.map((answer) => provenanceOf(answer, now()).freshUntil));
    } catch {
      // The list works without them.
    }
    return weeks;
  };
}

function priceOf(coin: RatedTicker | MissingTicker): number | null {
  return 'error' in coin ? null : coin.data.quotes.USD.price;
}

/** The worths of holdings; without rates, costs are unknown. */
async function worthsIn(
  currency: string,
  holdings: readonly Holding[],
  context: RunContext,
): Promise<Worths> {
  if (holdings.length === 0) return new Map();
  const paid = holdings.filter(({ cost }) => cost !== undefined).map(currencyOf);
  const others = new Set(paid.filter((code) => code !== currency));
  const needed = others.size === 0 ? [] : [currency, ...others];
  const rates = await Promise.all(
    needed.map(async (code): Promise<[string, number][]> => {
      const conversion = await conversionInto(code, context);
      return conversion && 'kind' in conversion ? [] : [[code, conversion?.rate ?? 1]];
    }),
  );
  return await worthsOf(holdings, new Map(rates.flat()), currency, context.api);
}
