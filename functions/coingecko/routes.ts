/** The table of CoinGecko's routes that are served, with the shapes of their responses. */
import Type, { type TObject, type TSchema } from 'typebox';
import { fields } from '../../shared/http/fields.ts';
import type { AdapterRoute } from '../../shared/http/route.ts';

const text = Type.String();
const integer = Type.Integer();
const number = Type.Union([Type.Number(), Type.Null()]);
const textOrNull = Type.Union([text, Type.Null()]);
const empty = Type.Array(Type.Unknown(), { maxItems: 0 });
const amounts = Type.Record(text, Type.Number(), { description: 'Amounts by currency' });
const points = Type.Array(Type.Array(number, { minItems: 2, maxItems: 2 }), {
  description: 'Unix milliseconds and a figure, null if unknown; ascending',
});

/** The schema of a response of CoinGecko's with more fields than are worth a description. */
const withMore = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: true });

const image = Type.Object(fields(textOrNull, 'thumb small large'));
const chart = Type.Object(fields(points, 'prices market_caps total_volumes'));
const prices = Type.Record(text, Type.Record(text, number), {
  description:
    'The coins by id or address, each with a price by currency and the included figures; times in unix seconds',
});

const row = withMore({
  ...fields(text, 'id symbol name image last_updated'),
  ...fields(number, 'current_price market_cap market_cap_rank fully_diluted_valuation total_volume'),
  ...fields(Type.Null(), 'high_24h low_24h atl atl_change_percentage atl_date roi'),
  ...fields(number, 'price_change_24h price_change_percentage_24h'),
  ...fields(number, 'market_cap_change_24h market_cap_change_percentage_24h'),
  ...fields(number, 'circulating_supply total_supply max_supply ath ath_change_percentage'),
  ath_date: textOrNull,
  sparkline_in_7d: Type.Optional(Type.Object({ price: Type.Array(Type.Number()) })),
});

const page = withMore({
  ...fields(text, 'id symbol name web_slug country_origin last_updated'),
  asset_platform_id: textOrNull,
  platforms: Type.Record(text, text, { description: 'Its contract by platform' }),
  image,
  market_cap_rank: number,
  market_data: Type.Optional(
    withMore({
      ...fields(amounts, 'current_price market_cap fully_diluted_valuation total_volume ath'),
      ...fields(number, 'circulating_supply total_supply max_supply price_change_percentage_24h'),
      ath_date: Type.Record(text, text),
      last_updated: text,
    }),
  ),
});

const history = withMore({
  ...fields(text, 'id symbol name'),
  image,
  market_data: Type.Optional(Type.Object(fields(amounts, 'current_price market_cap total_volume'))),
});

const flags =
  'include_market_cap include_24hr_vol include_24hr_change include_last_updated_at include_platform';

/** Each parameter's description, and an example that works on every service. */
const parameters: Readonly<Record<string, readonly [description: string, example: string]>> = {
  ...Object.fromEntries(
    `${flags} include_platform localization market_data`
      .split(' ')
      .map((name) => [name, ['`true` or `false`', '']]),
  ),
  id: ['CoinGecko’s id of the coin', 'bitcoin'],
  address: ['The address of its contract', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  platform: ['CoinGecko’s id of the asset platform', 'ethereum'],
  contract_addresses: ['Addresses, separated by commas', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  vs_currency: ['One of `simple/supported_vs_currencies`', 'usd'],
  vs_currencies: ['Some of `simple/supported_vs_currencies`; others are left out', 'usd,eur'],
  ids: ['CoinGecko’s ids, separated by commas, at most 250; unknown ones are left out', 'bitcoin,ethereum'],
  names: ['Names instead of ids', ''],
  symbols: ['Symbols instead of ids and names', ''],
  include_tokens: ['For symbols: `top`, the largest coin of each, or `all`', ''],
  precision: ['`full`, or decimals from 0 to 18', ''],
  status: ['`active` or `inactive`', ''],
  order: ['`market_cap`, `volume` or `id`, with `_asc` or `_desc`', ''],
  per_page: ['1 to 250; 100 by default', ''],
  page: ['From 1 on', ''],
  sparkline: ['`true`: hourly prices of seven days', ''],
  price_change_percentage: ['Of 1h, 24h, 7d, 14d, 30d, 200d and 1y; unknown ones are null', ''],
  tickers: ['`true` or `false`; the list is always empty, because exchanges’ tickers are not available', ''],
  days: ['A number, or `max`', '7'],
  interval: ['`hourly` or `daily`; by default it depends on the length of the window', ''],
  from: ['Unix seconds, or YYYY-MM-DDTHH:MM', '1767225600'],
  to: ['Unix seconds, or YYYY-MM-DDTHH:MM', '1767312000'],
  date: ['dd-mm-yyyy or yyyy-mm-dd', '01-01-2026'],
  query: ['A name or a symbol', 'bitcoin'],
  filter: ['`nft`: an empty list, because there is no data on them', ''],
};

/** A `!` marks a required parameter. */
function parametersOf(names: string): TObject {
  const entries = names
    .split(' ')
    .filter(Boolean)
    .map((text) => {
      const name = text.replace('!', '');
      const schema = Type.String({ description: parameters[name]?.[0] ?? '' });
      return [name, text === name ? Type.Optional(schema) : schema] as const;
    });
  return Type.Object(Object.fromEntries(entries));
}

/** `overrides` are examples that differ from those of the parameters. */
function get(
  path: string,
  summary: string,
  query: string,
  response: TSchema,
  overrides: Readonly<Record<string, string>> = {},
): AdapterRoute {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const needed = [...inPath, ...Array.from(query.matchAll(/(\w+)!/g), ([, name = '']) => name)];
  const examples = needed.map((name) => [name, parameters[name]?.[1] ?? '']);
  return {
    name: path.replace(/\/\{\w+\}/g, '').replace(/[/_]/g, '-'),
    path: `/coingecko/api/v3/${path}`,
    summary,
    ...(inPath.length > 0 && { pathParameters: parametersOf(inPath.map((name) => `${name}!`).join(' ')) }),
    ...(query && { query: parametersOf(query) }),
    response,
    example: { ...Object.fromEntries(examples), ...overrides },
  };
}

const included = `${flags} precision`;
const chartOf = 'vs_currency! days! interval precision';
const rangeOf = 'vs_currency! from! to! interval precision';
const ofContract = { id: 'ethereum' };

export const routes: readonly AdapterRoute[] = [
  get('ping', 'Whether the service answers', '', Type.Object({ gecko_says: text })),
  get(
    'simple/price',
    'Prices of coins',
    `vs_currencies! ids names symbols include_tokens ${included}`,
    prices,
    { ids: 'bitcoin,ethereum' },
  ),
  get(
    'simple/token_price/{platform}',
    'Prices of tokens',
    `contract_addresses! vs_currencies! ${included}`,
    prices,
  ),
  get('simple/supported_vs_currencies', 'The currencies of responses', '', Type.Array(text)),
  get(
    'coins/list',
    'All coins',
    'include_platform status',
    Type.Array(
      Type.Object({ ...fields(text, 'id symbol name'), platforms: Type.Optional(Type.Record(text, text)) }),
    ),
  ),
  get(
    'coins/markets',
    'Figures of coins, page by page',
    'vs_currency! ids names symbols include_tokens order per_page page sparkline price_change_percentage precision',
    Type.Array(row),
  ),
  get('coins/{id}', 'A coin with its figures', 'localization tickers market_data sparkline', page),
  get('coins/{id}/market_chart', 'The last days of a coin', chartOf, chart),
  get('coins/{id}/market_chart/range', 'A coin between two times', rangeOf, chart),
  get(
    'coins/{id}/ohlc',
    'Candles of a coin, each stamped with its end',
    chartOf,
    Type.Array(Type.Array(Type.Number(), { minItems: 5, maxItems: 5 })),
  ),
  get('coins/{id}/history', 'A coin at 00:00 UTC of a day', 'date! localization', history),
  get('coins/{id}/contract/{address}', 'The coin of a contract', 'market_data sparkline', page, ofContract),
  get('coins/{id}/contract/{address}/market_chart', 'Its last days', chartOf, chart, ofContract),
  get(
    'coins/{id}/contract/{address}/market_chart/range',
    'The coin between two times',
    rangeOf,
    chart,
    ofContract,
  ),
  get(
    'search',
    'Coins by name or symbol',
    'query!',
    Type.Object({
      coins: Type.Array(
        Type.Object({ ...fields(text, 'id name api_symbol symbol thumb large'), market_cap_rank: number }),
      ),
      ...fields(empty, 'exchanges icos categories nfts'),
    }),
  ),
  get(
    'search/trending',
    'Empty: searches are not counted',
    '',
    Type.Object(fields(empty, 'coins nfts categories')),
  ),
  get(
    'global',
    'The whole market',
    '',
    Type.Object({
      data: withMore({
        ...fields(integer, 'active_cryptocurrencies updated_at'),
        ...fields(amounts, 'total_market_cap total_volume market_cap_percentage'),
      }),
    }),
  ),
  get(
    'asset_platforms',
    'Chains with known contracts',
    'filter',
    Type.Array(
      Type.Object({ ...fields(text, 'id name shortname native_coin_id'), chain_identifier: number, image }),
    ),
  ),
  get('key', 'The caller’s own limit', '', withMore({ plan: text, rate_limit_request_per_minute: integer })),
];

export const failure = Type.Union([
  Type.Object({ error: text }),
  Type.Object({ status: Type.Object({ error_code: integer, error_message: text }) }),
]);
