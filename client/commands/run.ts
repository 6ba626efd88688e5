import { messageOf } from '../sdk/failure.ts';
import { type Coin, findCoin, type LastSearch, namedTogether, numberedCoin, similarCoins } from './coins.ts';
import { type Conversion, conversionTo, DOLLAR, type Rates } from './currency.ts';
import {
  beyondList,
  explain,
  type FailureContext,
  inactive,
  notFound,
  priceMissing,
  requestFailure,
  usageFailure,
  withoutRate,
} from './failure.ts';
import { parseCommand } from './parse/parse.ts';
import { rangeNameOf, ranges, wholeRange } from './parse/table.ts';
import { UsageError, wordsOf } from './parse/words.ts';
import { type Api, provenanceOf } from './provenance.ts';
import type { ChartResult, CoinCandles, Command, FailureResult, PriceResult, Result } from './result.ts';
import { type SeriesCandle, toSeries } from './series.ts';
import { defaultProtocol } from './sources.ts';
import type { MissingTicker, RatedTicker, Tickers } from './tickers.ts';

/** The environment of a command. */
export interface RunContext extends FailureContext {
  readonly api: Api;
  readonly rates: Rates;
  readonly tickers: Tickers;
  /** Undefined: numbers are symbols. */
  readonly lastSearch?: LastSearch;
  /** Whether a single coin's price includes its week. */
  readonly wantsWeek?: boolean;
  /** The conversion for commands without `--currency`; without it, or if it returns undefined, prices are in US dollars. */
  readonly usualConversion?: () => Promise<Conversion | FailureResult | undefined>;
}

type PricedCommand = Exclude<Command, { readonly name: 'help' | 'search' }>;

const noSymbol = usageFailure(new UsageError('Missing symbol'));

/** Runs a typed line. Never throws: a failure is a result. */
export async function runLine(line: string, context: RunContext): Promise<Result> {
  let command: Command;
  try {
    command = parseCommand(wordsOf(line));
  } catch (error) {
    return usageFailure(error);
  }
  return await runCommand(command, context);
}

/** Never throws: a failure is a result. */
export async function runCommand(command: Command, context: RunContext): Promise<Result> {
  if (command.name === 'help') return { kind: 'help', topic: command.topic };
  try {
    return command.name === 'search' ? await runSearch(command, context) : await runPriced(command, context);
  } catch (error) {
    return requestFailure(error, command, context);
  }
}

async function runSearch(
  command: Extract<Command, { readonly name: 'search' }>,
  { api, lastSearch, now }: RunContext,
): Promise<Result> {
  const answer = await api.search({ q: command.query, limit: command.limit });
  const ids = answer.data.results.map(({ id }) => id);
  if (ids.length > 0) lastSearch?.remember(ids);
  return { kind: 'search', command, data: answer.data, provenance: provenanceOf(answer, now()) };
}

async function runPriced(command: PricedCommand, context: RunContext): Promise<Result> {
  const symbols = command.name === 'chart' ? [command.symbol, ...command.compare] : command.symbols;
  const [found, conversion] = await Promise.all([
    Promise.all(symbols.map((symbol) => coinOf(symbol, context))),
    conversionFor(command, context),
  ]);
  const together = command.name === 'price' ? await namedTogether(symbols, found, context.api) : undefined;
  const [coin, ...others] = together ? [together] : found.filter((each) => each !== undefined);
  const unknown = together ? [] : symbols.filter((_symbol, index) => !found[index]);
  // Words that are all unknown are more likely one name than several coins.
  const names = coin ? unknown : [unknown.join(' ')];
  const missing = await Promise.all(names.map((text) => unknownCoin(text, command, context)));
  const [firstMissing] = missing;
  if (!coin || (command.name === 'chart' && firstMissing)) return firstMissing ?? noSymbol;
  if (isFailure(conversion)) return conversion;
  const result =
    command.name === 'price'
      ? await runPrice([coin, ...others], missing, command, context, conversion)
      : await runChart(coin, command, context, { others, conversion });
  return isFailure(result) ? result : { ...result, conversion };
}

async function unknownCoin(
  text: string,
  command: PricedCommand,
  { api, lastSearch }: RunContext,
): Promise<FailureResult> {
  const count = /^\d{1,3}$/.test(text) ? (lastSearch?.ids().length ?? 0) : 0;
  return count > 0 ? beyondList(text, count) : notFound(text, command, await similarCoins(api, text));
}

/** The prices of one or more coins; coins that were not found are in `missing`. Rejects as the client does. */
async function runPrice(
  coins: readonly [Coin, ...Coin[]],
  missing: readonly FailureResult[],
  command: PriceResult['command'],
  context: RunContext,
  conversion: Conversion | undefined,
): Promise<PriceResult | FailureResult> {
  const { api, tickers, wantsWeek } = context;
  const [coin] = coins;
  if (coins.length === 1) {
    const week = wantsWeek ? weekOf(api, coin, conversion?.currency) : undefined;
    try {
      const prices = [{ coin, ...(await tickers.fetch(api, coin.id)) }];
      return { kind: 'price', command, prices, missing, week: await (week && inTime(week)) };
    } catch (error) {
      return requestFailure(error, command, context, coin);
    }
  }
  const ids = coins.map(({ id }) => id);
  const answers = await withInactive(coins, await tickers.fetchAll(api, ids), context);
  const all = answers.flatMap((answer, index) => {
    const each = coins[index];
    return each ? [{ coin: each, answer }] : [];
  });
  const prices = all.flatMap(({ coin: each, answer }) =>
    'error' in answer ? [] : [{ coin: each, ...answer }],
  );
  const without = all.flatMap(({ coin: each, answer }) =>
    'error' in answer ? [each.isActive ? priceMissing(answer) : inactive(each, answer.error)] : [],
  );
  const [first, ...others] = [...missing, ...without];
  if (prices.length === 0 && first) return first;
  return { kind: 'price', command, prices, missing: first ? [first, ...others] : [] };
}

/** Coins that are no longer traded are in no list; alone each is looked up, and the service names its last price. */
async function withInactive(
  coins: readonly Coin[],
  answers: readonly (RatedTicker | MissingTicker)[],
  { api, tickers }: RunContext,
): Promise<readonly (RatedTicker | MissingTicker)[]> {
  return await Promise.all(
    answers.map(async (answer, index) => {
      const coin = coins[index];
      if (!coin || coin.isActive || !('error' in answer)) return answer;
      return await tickers.fetch(api, coin.id).catch((error) => ({ ...answer, error: messageOf(error) }));
    }),
  );
}

/** Undefined on failure: the price is shown without it. */
async function weekOf(
  api: Api,
  { id }: Coin,
  currency: string | undefined,
): Promise<readonly SeriesCandle[] | undefined> {
  return await api.ohlcv({ id, ...ranges['7d'], ...(currency && { currency }) }).then(
    ({ data }) => toSeries(data.data),
    () => undefined,
  );
}

/** The longest wait for the week once the price has arrived. */
const WEEK_WAIT_MS = 1000;

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), WEEK_WAIT_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * The candles and prices of an already resolved coin and of those it is compared with; no coin is looked up again. With a
 * conversion the candles are requested in its currency, in which each has the rate of its own time. Never throws.
 */
export async function runChart(
  coin: Coin,
  command: ChartResult['command'],
  context: RunContext,
  {
    others = [],
    conversion,
  }: { readonly others?: readonly Coin[]; readonly conversion?: Conversion | undefined } = {},
): Promise<ChartResult | FailureResult> {
  const { api, now, tickers } = context;
  const inCurrency = conversion && { currency: conversion.currency };
  const tickerOf = ({ id }: Coin) => tickers.recent(api, id).catch(() => undefined);
  // A coin given by symbol and by id counts once.
  const coins = [...new Map([coin, ...others].map((each) => [each.id, each])).values()];
  try {
    let range = command.range;
    if (rangeNameOf(range) === 'all') {
      // The coin's age, or the age of its candles: the oldest may start long before its first price.
      const byAge = { ...range, ...wholeRange((await tickerOf(coin))?.data.first_data_at, now()) };
      const { data } = await api.ohlcv({ id: coin.id, ...byAge, ...inCurrency });
      range = { ...range, ...wholeRange(data.data[0]?.time_close, now()) };
    }
    const candlesOf = async (each: Coin): Promise<CoinCandles> => {
      const [answer, ticker] = await Promise.all([
        api.ohlcv({ id: each.id, ...range, ...inCurrency }),
        range.quote === 'btc' ? undefined : tickerOf(each), // without a ticker the candles are enough
      ]);
      return { coin: each, data: answer.data, provenance: provenanceOf(answer, now()), ticker };
    };
    const [own, compared] = await Promise.all([
      candlesOf(coin),
      Promise.all(coins.slice(1).map((each) => candlesOf(each))),
    ]);
    return { kind: 'chart', command, ...own, compared, conversion };
  } catch (error) {
    return requestFailure(error, command, context, coin);
  }
}

/** The coin of a word, resolved as in `cprice`, or a failure. Never throws. */
export async function coinNamed(symbol: string, context: RunContext): Promise<Coin | FailureResult> {
  const command = { name: 'price', symbols: [symbol], protocol: defaultProtocol } as const;
  try {
    const coin = await coinOf(symbol, context);
    return coin ?? notFound(symbol, command, await similarCoins(context.api, symbol));
  } catch (error) {
    return requestFailure(error, command, context);
  }
}

/**
 * The coin that several words name together, as in `cprice wrapped bitcoin`; undefined if each is a coin of its own.
 * Never throws.
 */
export async function namedTogetherBy(
  symbols: readonly string[],
  context: RunContext,
): Promise<Coin | undefined> {
  if (symbols.length < 2) return undefined;
  try {
    const found = await Promise.all(symbols.map((symbol) => coinOf(symbol, context)));
    return await namedTogether(symbols, found, context.api);
  } catch {
    return undefined;
  }
}

/** The coin with a symbol, id, name or number of the last search. */
async function coinOf(symbol: string, { api, lastSearch }: RunContext): Promise<Coin | undefined> {
  const numbered = numberedCoin(symbol, lastSearch);
  const coin = await findCoin(api, numbered?.id ?? symbol);
  return coin && numbered ? { ...coin, listNumber: numbered.number } : coin;
}

function isFailure(value: object | undefined): value is FailureResult {
  return value !== undefined && 'kind' in value && value.kind === 'failure';
}

/** The conversion from US dollars for a command; undefined: its prices are not converted. Never throws. */
async function conversionFor(
  command: PricedCommand,
  context: RunContext,
): Promise<Conversion | FailureResult | undefined> {
  if (command.name === 'chart' && command.range.quote === 'btc') return undefined;
  if (command.currency === undefined) return await context.usualConversion?.();
  return await conversionInto(command.currency, context);
}

/** The conversion from US dollars; undefined for the dollar, without a fetch. Never throws. */
export async function conversionInto(
  currency: string,
  context: FailureContext & Pick<RunContext, 'rates'>,
): Promise<Conversion | FailureResult | undefined> {
  if (currency === DOLLAR) return undefined;
  try {
    const { data, provenance } = await context.rates();
    return conversionTo(currency, data, provenance) ?? withoutRate(currency, data);
  } catch (error) {
    return explain(error, `Exchange rate fetch failed for ${currency}`, context);
  }
}
