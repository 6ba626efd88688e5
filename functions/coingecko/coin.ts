/** `coins/{id}` and `coins/{id}/history`: one coin with its figures in all currencies. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { setOriginHeaders, setSourceHeaders } from '../../shared/marketdata/provenance.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { chartOf, inCurrency } from './charts.ts';
import { type Coin, coinInPath, imageOf, tickerOf } from './coins.ts';
import { platformsByCoin } from './contracts.ts';
import { type Change, type Currency, changes, currencies } from './currencies.ts';
import { figuresOf, percent } from './markets.ts';
import { day, flag } from './request.ts';

type Amounts = Record<string, number | null>;

/** Those in which CoinGecko's own history of a day is asked for most. */
const HISTORY_CODES = ['usd', 'eur', 'btc', 'eth'];

export async function coinPage(request: AdapterRequest) {
  return pageOf(request, await coinInPath(request));
}

export async function pageOf(request: AdapterRequest, coin: Coin) {
  const { environment, headers, query } = request;
  const current = await tickerOf(request, coin);
  setOriginHeaders(headers, current);
  const { ticker, madeAt } = current;
  const known = (await currencies(environment)).all();
  const lastUpdated = ticker.last_updated ?? new Date(madeAt).toISOString();
  const platforms = (await platformsByCoin(environment)).get(coin.entry.id) ?? {};
  const week = flag(query, 'sparkline') ? await weekOf(request, coin) : undefined;
  const image = imageOf(coin);
  return {
    id: coin.id,
    symbol: ticker.symbol.trim().toLowerCase(),
    name: ticker.name,
    web_slug: coin.id,
    asset_platform_id: Object.keys(platforms)[0] ?? null,
    platforms,
    block_time_in_minutes: null,
    hashing_algorithm: null,
    categories: [],
    public_notice: null,
    additional_notices: [],
    localization: flag(query, 'localization', true) ? { en: ticker.name } : {},
    description: { en: '' },
    links: { homepage: [], blockchain_site: [] },
    image: { thumb: image, small: image, large: image },
    country_origin: '',
    genesis_date: null,
    market_cap_rank: ticker.rank || null,
    ...(flag(query, 'market_data', true) && {
      market_data: {
        ...figuresIn(known, (currency) => figuresOf({ coin, current }, currency, 'full')),
        price_change_percentage_24h: percent(ticker.quotes.USD.percent_change_24h),
        price_change_percentage_7d: percent(ticker.quotes.USD.percent_change_7d),
        price_change_percentage_14d: null,
        price_change_percentage_30d: percent(ticker.quotes.USD.percent_change_30d),
        price_change_percentage_60d: null,
        price_change_percentage_200d: null,
        price_change_percentage_1y: percent(ticker.quotes.USD.percent_change_1y),
        ...changesIn(known, (currency, time) => percent(currency.changeIn(time, ticker))),
        market_cap_rank: ticker.rank || null,
        circulating_supply: ticker.circulating_supply,
        total_supply: ticker.total_supply,
        max_supply: ticker.max_supply,
        last_updated: lastUpdated,
        ...(week && { sparkline_7d: { price: week } }),
      },
    }),
    ...(flag(query, 'tickers', true) && { tickers: [] }),
    status_updates: [],
    last_updated: lastUpdated,
  };
}

/** What is known, by currency. */
function figuresIn(
  known: readonly Currency[],
  figuresOfOne: (currency: Currency) => ReturnType<typeof figuresOf>,
) {
  const all = known.map((currency) => [currency.code, figuresOfOne(currency)] as const);
  const by = <Value>(valueOf: (figures: ReturnType<typeof figuresOf>) => Value | null) =>
    Object.fromEntries(
      all.flatMap(([code, figures]) => {
        const value = valueOf(figures);
        return value === null ? [] : [[code, value] as const];
      }),
    );
  const usd = all.find(([code]) => code === 'usd')?.[1];
  return {
    current_price: by((figures) => figures.current_price),
    ath: by((figures) => figures.ath),
    ath_change_percentage: by((figures) => figures.ath_change_percentage),
    ath_date: by((figures) => figures.ath_date),
    atl: {},
    atl_change_percentage: {},
    atl_date: {},
    roi: null,
    market_cap: by((figures) => figures.market_cap),
    fully_diluted_valuation: by((figures) => figures.fully_diluted_valuation),
    total_volume: by((figures) => figures.total_volume),
    high_24h: {},
    low_24h: {},
    price_change_24h: usd?.price_change_24h ?? null,
    price_change_24h_in_currency: by((figures) => figures.price_change_24h),
    market_cap_change_24h: usd?.market_cap_change_24h ?? null,
    market_cap_change_percentage_24h: usd?.market_cap_change_percentage_24h ?? null,
    market_cap_change_24h_in_currency: by((figures) => figures.market_cap_change_24h),
    market_cap_change_percentage_24h_in_currency: by((figures) => figures.market_cap_change_percentage_24h),
  };
}

function changesIn(
  known: readonly Currency[],
  changeOf: (currency: Currency, time: Change) => number | null,
): Record<string, Amounts> {
  const times = Object.keys(changes) as Change[]; // its own keys
  return Object.fromEntries(
    times.map((time) => [
      `price_change_percentage_${time}_in_currency`,
      Object.fromEntries(
        known.flatMap((currency) => {
          const change = changeOf(currency, time);
          return change === null ? [] : [[currency.code, change] as const];
        }),
      ),
    ]),
  );
}

async function weekOf({ environment }: AdapterRequest, { entry }: Coin): Promise<readonly number[]> {
  const { hourlyWeekOf } = await import('../../shared/marketdata/serve/sparklines.ts');
  return (await hourlyWeekOf(environment, [entry.id])).get(entry.id) ?? [];
}

/** What was known at 00:00 UTC of a day: the close of the day before. */
export async function history(request: AdapterRequest) {
  const { query, headers, environment } = request;
  const at = day(query, 'date');
  const coin = await coinInPath(request);
  const image = imageOf(coin);
  const about = {
    id: coin.id,
    symbol: coin.entry.symbol.trim().toLowerCase(),
    name: coin.entry.name,
    ...(flag(query, 'localization', true) && { localization: { en: coin.entry.name } }),
    image: { thumb: image, small: image },
  };
  const known = await currencies(environment);
  const wanted = HISTORY_CODES.flatMap((code) => known.of(code) ?? []);
  const span = { base: '24h', from: at - DAY_MS, to: at } as const;
  const all = await Promise.all(
    wanted.map(async (currency) => {
      const chart = at > Date.now() ? undefined : await chartOf(request, coin, span, currency.unit?.id);
      const candle = chart?.candles.find(({ time_open }) => Date.parse(time_open) === span.from);
      return { currency, chart, point: candle && inCurrency(candle, currency, at - 1) };
    }),
  );
  const [{ chart, point } = {}] = all;
  if (!chart || !point) return about;
  const { quality, ...from } = chart;
  setSourceHeaders(headers, from, quality);
  const by = (valueOf: (one: NonNullable<typeof point>) => number | null) =>
    Object.fromEntries(
      all.flatMap(({ currency, point: one }) => {
        const value = one ? valueOf(one) : null;
        return value === null ? [] : [[currency.code, value] as const];
      }),
    );
  return {
    ...about,
    market_data: {
      current_price: by(({ close }) => close),
      market_cap: by(({ market_cap }) => market_cap),
      total_volume: by(({ volume }) => volume),
    },
  };
}
