import { type Conversion, DOLLAR } from '../../commands/currency.ts';
import { explain } from '../../commands/failure.ts';
import type { OptionValues } from '../../commands/parse/parse.ts';
import type { FailureResult } from '../../commands/result.ts';
import { conversionInto, type RunContext } from '../../commands/run.ts';
import type { KnownTicker, MissingTicker } from '../../commands/tickers.ts';
import type { Config, Holding } from '../config/config.ts';
import { currencyOf, type Worths, worthsOf } from '../holdings.ts';
import type { Settings } from '../settings.ts';
import { type Weeks, weeksOf } from './sparklines.ts';

/** The watched coins as the service told them last. */
export interface Loaded {
  readonly kind: 'loaded';
  /** In the order of the list; coins that are held and not on it come last. */
  readonly coins: readonly (KnownTicker | MissingTicker)[];
  /** How many of them are on the list. */
  readonly listed: number;
  /** Whether these are the largest coins, because the list is empty. */
  readonly isDefault: boolean;
  /** Of what is held, by the coins' ids. */
  readonly worths: Worths;
  readonly weeks: Weeks | undefined;
  readonly conversion: Conversion | undefined;
  /** Until when the prices may be used: milliseconds since the epoch. */
  readonly freshUntil: number;
}

export interface LoadFailure {
  readonly kind: 'failed';
  readonly failure: FailureResult;
}

export interface LoadOptions {
  readonly config: Config;
  /** In capitals; undefined: US dollars. */
  readonly currency: string | undefined;
  readonly former?: Loaded | undefined;
}

/** The currency of a list, in capitals: what is given, else the usual one; undefined for the dollar. */
export function currencyFor(given: OptionValues, { config }: Pick<Settings, 'config'>): string | undefined {
  const currency = (given.get('currency') ?? config.currency)?.toUpperCase();
  return currency === DOLLAR ? undefined : currency;
}

const LARGEST = 10;
/** Of one request. */
const MAX_IDS = 100;

/** Prices, rates and weeks of all watched and held coins. Never throws. */
export async function loadWatched(options: LoadOptions, context: RunContext): Promise<Loaded | LoadFailure> {
  try {
    return await load(options, context);
  } catch (error) {
    return { kind: 'failed', failure: explain(error, 'Price fetch failed for the list', context) };
  }
}

async function load(
  { config, currency, former }: LoadOptions,
  context: RunContext,
): Promise<Loaded | LoadFailure> {
  const { api, tickers, now } = context;
  const { watchlist = [], holdings = [] } = config;
  const isDefault = watchlist.length === 0;
  const listed = isDefault ? await largest(context, former) : watchlist;
  const ids = [...new Set([...listed, ...holdings.map(({ id }) => id)])];
  const pages = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, page) =>
    ids.slice(page * MAX_IDS, (page + 1) * MAX_IDS),
  );
  const weeksAtHand =
    former?.weeks && now() < former.weeks.freshUntil && ids.every((id) => former.weeks?.ids.includes(id))
      ? former.weeks
      : undefined;
  const [answers, conversion, worths, weeks] = await Promise.all([
    Promise.all(pages.map((page) => tickers.askAll(api, page))),
    currency === undefined ? undefined : conversionInto(currency, context),
    worthsIn(currency ?? DOLLAR, holdings, context),
    weeksAtHand ?? weeksOf(api, ids, MAX_IDS, now),
  ]);
  if (conversion && 'kind' in conversion) return { kind: 'failed', failure: conversion };
  const coins = answers.flat();
  const lifetimes = coins.flatMap((coin) => ('error' in coin ? [] : [coin.provenance.freshUntil]));
  return {
    kind: 'loaded',
    coins,
    listed: listed.length,
    isDefault,
    worths,
    weeks: weeks ?? former?.weeks,
    conversion,
    freshUntil: Math.min(...lifetimes, Number.MAX_SAFE_INTEGER),
  };
}

/** The ids of the largest coins, asked for once. */
async function largest({ api }: RunContext, former: Loaded | undefined): Promise<readonly string[]> {
  if (former?.isDefault) return former.coins.slice(0, former.listed).map(idOf);
  const { data } = await api.tickers({ sort: 'rank', limit: LARGEST });
  return data.results.flatMap((item) => ('error' in item ? [] : [item.id]));
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

export function idOf(coin: KnownTicker | MissingTicker): string {
  return 'error' in coin ? coin.id : coin.data.id;
}
