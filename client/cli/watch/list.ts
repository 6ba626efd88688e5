import { type Conversion, DOLLAR } from '../../commands/currency.ts';
import { explain } from '../../commands/failure.ts';
import type { OptionValues } from '../../commands/parse/parse.ts';
import type { Holding } from '../../commands/portfolio-file.ts';
import { provenanceOf } from '../../commands/provenance.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto, type RunContext } from '../../commands/run.ts';
import type { KnownTicker, MissingTicker } from '../../commands/tickers.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { Session } from '../session.ts';
import type { Variables } from '../terminal.ts';
import { currencyOf, type Worth, type Worths, worthsOf } from '../worth.ts';

/** A coin that is watched or held. */
export interface ListRow {
  readonly id: string;
  readonly coin: KnownTicker | MissingTicker;
  readonly isWatched: boolean;
  /** Undefined if it is not held. */
  readonly worth: Worth | undefined;
  /** Prices of seven days in US dollars, oldest first; null: not known. */
  readonly week: readonly (number | null)[];
  /** Where its price went since the answer before. */
  readonly moved: 'up' | 'down' | undefined;
}

export interface ListResult {
  readonly kind: 'list';
  /** In the order of the list; coins that are held and not on it come last. */
  readonly rows: readonly ListRow[];
  /** Whether these are the largest coins, because the list is empty. */
  readonly isDefault: boolean;
  readonly conversion: Conversion | undefined;
  /** Until when the prices may be used: milliseconds since the epoch. */
  readonly freshUntil: number;
}

export type FetchList = (signal?: AbortSignal) => Promise<ListResult | FailureResult>;

const LARGEST = 10;
/** Of one request. */
const MAX_IDS = 100;

/** The currency of a list, in capitals: what is given, else the usual one; undefined for the dollar. */
export function currencyFor(given: OptionValues, { config }: Session['settings']): string | undefined {
  const currency = (given.get('currency') ?? config.currency)?.toUpperCase();
  return currency === DOLLAR ? undefined : currency;
}

/**
 * Prices, rates and weeks of all coins that are watched or held, as the settings' file has them each time; what changes
 * seldom is remembered. Throws ConfigError if the file is not understood; what is returned never rejects.
 */
export function listOf(currency: string | undefined, session: Session, env: Variables): FetchList {
  let config = readConfig(env);
  let largest: readonly string[] = [];
  let prices: ReadonlyMap<string, number | null> = new Map();
  const weeks = rememberedWeeks();

  async function load(context: RunContext): Promise<ListResult | FailureResult> {
    const { watchlist = [], holdings = [] } = config;
    const isDefault = watchlist.length === 0;
    if (isDefault && largest.length === 0) largest = await largestCoins(context);
    const ids = [...new Set([...(isDefault ? largest : watchlist), ...holdings.map(({ id }) => id)])];
    const [answers, conversion, worths, weekOf] = await Promise.all([
      Promise.all(pagesOf(ids).map((page) => context.tickers.askAll(context.api, page))),
      currency === undefined ? undefined : conversionInto(currency, context),
      worthsIn(currency ?? DOLLAR, holdings, context),
      weeks(ids, context),
    ]);
    if (conversion && 'kind' in conversion) return conversion;
    const former = prices;
    const coins = answers.flat().map((coin) => ({ id: 'error' in coin ? coin.id : coin.data.id, coin }));
    prices = new Map(coins.map(({ id, coin }) => [id, priceOf(coin)]));
    const rows = coins.map(({ id, coin }) => ({
      id,
      coin,
      isWatched: watchlist.includes(id),
      worth: worths.get(id),
      week: weekOf.get(id) ?? [],
      moved: movement(former.get(id), priceOf(coin)),
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
      // Somebody is editing the file: the last settings that were understood stay.
    }
    const context = session.contextOf(signal);
    try {
      return await load(context);
    } catch (error) {
      return explain(error, 'Price fetch failed for the list', context);
    }
  };
}

/** With a coin at the end of the watchlist, or at a place, unless it is there already. */
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

/** The weeks of coins by their ids, asked for when their lifetime is over or a coin is new; without them if they cannot be had. */
function rememberedWeeks() {
  let weeks = new Map<string, ListRow['week']>();
  let freshUntil = 0;
  return async (ids: readonly string[], { api, now }: RunContext): Promise<typeof weeks> => {
    if (now() < freshUntil && ids.every((id) => weeks.has(id))) return weeks;
    try {
      const answers = await Promise.all(pagesOf(ids).map((page) => api.sparklines({ ids: page })));
      const coins = answers.flatMap(({ data }) => data.coins);
      // A coin without a week is not asked for again before its time.
      weeks = new Map(ids.map((id) => [id, []]));
      for (const coin of coins) if (!('error' in coin)) weeks.set(coin.id, coin.prices);
      freshUntil = Math.min(...answers.map((answer) => provenanceOf(answer, now()).freshUntil));
    } catch {
      // They are an ornament.
    }
    return weeks;
  };
}

function priceOf(coin: KnownTicker | MissingTicker): number | null {
  return 'error' in coin ? null : coin.data.quotes.USD.price;
}

function movement(from: number | null | undefined, to: number | null): ListRow['moved'] {
  if (from == null || to === null || from === to) return undefined;
  return to > from ? 'up' : 'down';
}

/** Rates that cannot be had leave costs unknown. */
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
