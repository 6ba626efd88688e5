/** `coins/{id}` and `coins/{id}/history`: one coin with its figures in all currencies. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { jointOrigin, type Provenance, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import { hourlyWeekOf } from '../../shared/marketdata/serve/sparklines.ts';
import { logoOf } from '../../shared/providers/logo.ts';
import { type Point, pointsOf } from './charts.ts';
import { type Coin, coinInPath, type Market, marketOf, platformsByCoin, setMarketHeaders } from './coins.ts';
import { type Change, type Currency, changes, currencies } from './currencies.ts';
import { figuresOf, lineIn, percentIn } from './markets.ts';
import { day, flag } from './request.ts';

/** The currencies of a past day. */
const HISTORY_CODES = ['usd', 'eur', 'btc', 'eth'];
const times = Object.keys(changes) as Change[]; // its own keys
const notKnown = { atl: {}, atl_change_percentage: {}, atl_date: {}, roi: null, high_24h: {}, low_24h: {} };
const noChanges = ['14d', '60d', '200d'].map((time) => [`price_change_percentage_${time}`, null]);

export async function coinPage(request: AdapterRequest) {
  const { environment, headers, query } = request;
  const coin = await coinInPath(request);
  const market = await marketOf(request, coin);
  const { ticker, madeAt } = market.current;
  const isWanted = { figures: flag(query, 'market_data', true), line: flag(query, 'sparkline') };
  const known = isWanted.figures ? await currencies(environment) : [];
  const line = isWanted.line
    ? (await hourlyWeekOf(environment, [coin.entry.id])).get(coin.entry.id)
    : undefined;
  setMarketHeaders(headers, [market], [line, ...known.map(({ origin }) => origin)]);
  const last_updated = ticker.last_updated ?? new Date(madeAt).toISOString();
  const platforms = (await platformsByCoin(environment)).get(coin.entry.id) ?? {};
  const [platform = null, address = null] = Object.entries(platforms)[0] ?? [];
  const dollar = known.find(({ code }) => code === 'usd');
  return {
    ...about(coin),
    ...{ web_slug: coin.id, asset_platform_id: platform, platforms },
    ...(address !== null && { contract_address: address }),
    ...{ block_time_in_minutes: null, hashing_algorithm: null, categories: [], public_notice: null },
    ...{ additional_notices: [], description: { en: '' }, links: { homepage: [], blockchain_site: [] } },
    ...{ country_origin: '', genesis_date: null, market_cap_rank: ticker.rank || null },
    ...(flag(query, 'localization', true) && { localization: { en: ticker.name } }),
    ...(isWanted.figures && {
      market_data: {
        ...figuresIn(known, market),
        ...(line && dollar && { sparkline_7d: { price: lineIn(dollar, line) } }),
        ...{ market_cap_rank: ticker.rank || null, last_updated },
      },
    }),
    ...(flag(query, 'tickers', true) && { tickers: [] }),
    ...{ status_updates: [], last_updated },
  };
}

function about(coin: Coin) {
  const image = logoOf(coin.entry.id);
  const { symbol, name } = coin.entry;
  return {
    ...{ id: coin.id, symbol: symbol.trim().toLowerCase(), name },
    image: { thumb: image, small: image, large: image },
  };
}

function figuresIn(known: readonly Currency[], market: Market) {
  const figures = new Map(known.map((currency) => [currency, figuresOf(market, currency, 'full')]));
  type Name = keyof ReturnType<typeof figuresOf>;
  const inAll = (name: Name) => byCode(known, (currency) => figures.get(currency)?.[name] ?? null);
  const [dollar] = known.filter(({ code }) => code === 'usd');
  const inDollars = (name: Name) => (dollar && figures.get(dollar)?.[name]) ?? null;
  const { circulating_supply, total_supply, max_supply } = market.current.ticker;
  const moves = ['price_change_24h', 'market_cap_change_24h', 'market_cap_change_percentage_24h'] as const;
  const amounts = ['current_price', 'market_cap', 'fully_diluted_valuation', 'total_volume'] as const;
  const best = ['ath', 'ath_change_percentage', 'ath_date'] as const;
  return {
    ...Object.fromEntries([...amounts, ...best].map((name) => [name, inAll(name)])),
    ...notKnown,
    ...Object.fromEntries(moves.map((name) => [name, inDollars(name)])),
    ...Object.fromEntries(moves.map((name) => [`${name}_in_currency`, inAll(name)])),
    ...Object.fromEntries(noChanges),
    ...Object.fromEntries(
      times.flatMap((time) => [
        [`price_change_percentage_${time}`, dollar ? percentIn(dollar, time, market) : null],
        [
          `price_change_percentage_${time}_in_currency`,
          byCode(known, (currency) => percentIn(currency, time, market)),
        ],
      ]),
    ),
    ...{ circulating_supply, total_supply, max_supply },
  };
}

/** Leaves out currencies without a value. */
function byCode<T>(known: readonly Currency[], valueIn: (currency: Currency) => T | null): Record<string, T> {
  const values = known.map((currency) => [currency.code, valueIn(currency)] as const);
  return Object.fromEntries(values.flatMap(([code, value]) => (value === null ? [] : [[code, value]])));
}

/** A coin's data at 00:00 UTC of a day: the close of the day before. */
export async function history(request: AdapterRequest) {
  const at = day(request.query, 'date');
  const coin = await coinInPath(request);
  const known = (await currencies(request.environment)).filter(({ code }) => HISTORY_CODES.includes(code));
  const points = new Map<Currency, Point | undefined>();
  const origins: Provenance[] = [];
  for (const currency of at > Date.now() ? [] : known) {
    // At most one coin's candles are fetched; for the others only stored data is used.
    const storedOnly = currency.code !== 'usd';
    const read = pointsOf(request, coin, currency, { base: '24h', from: at, to: at, storedOnly });
    const found = await (storedOnly && currency.unit ? read.catch(() => undefined) : read);
    const [point] = found?.points ?? [];
    points.set(currency, point);
    if (point && found) origins.push(found.origin);
  }
  request.headers['cache-control'] = publicFor(0);
  setOriginHeaders(request.headers, jointOrigin(origins));
  const inAll = (name: 'close' | 'volume' | 'market_cap') =>
    byCode(known, (currency) => points.get(currency)?.[name] ?? null);
  const isKnown = [...points.values()].some((point) => point !== undefined);
  return {
    ...about(coin),
    ...(flag(request.query, 'localization', true) && { localization: { en: coin.entry.name } }),
    ...(isKnown && {
      market_data: {
        current_price: inAll('close'),
        market_cap: inAll('market_cap'),
        total_volume: inAll('volume'),
      },
    }),
  };
}
