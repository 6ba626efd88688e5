import Type, { type TSchema } from 'typebox';
import { fields } from '../../../shared/http/fields.ts';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { type AdapterRoute, defineRoute } from '../../../shared/http/route.ts';
import { marketDataAdapter, marketDataHeaders } from '../../../shared/providers/contract.ts';

const failure = Type.Object({ s: Type.Literal('error'), errmsg: Type.String() });
/** Errors have status 200, because the library reads nothing else. */
const orFailure = (answer: TSchema) => Type.Union([answer, failure]);

const text = Type.String();
const texts = Type.Array(text);
const numbers = Type.Array(Type.Number());

const config: AdapterRoute = {
  name: 'config',
  path: '/udf/config',
  summary: 'The capabilities of the data feed',
  response: orFailure(
    Type.Object({
      ...fields(Type.Literal(true), 'supports_search supports_time'),
      ...fields(Type.Literal(false), 'supports_group_request supports_marks supports_timescale_marks'),
      supported_resolutions: texts,
      exchanges: Type.Array(Type.Object(fields(text, 'value name desc'))),
      symbols_types: Type.Array(Type.Object(fields(text, 'name value'))),
    }),
  ),
  example: {},
};

const time: AdapterRoute = {
  name: 'time',
  path: '/udf/time',
  summary: 'The time of the service: unix seconds',
  response: 'text/plain; charset=utf-8',
  example: {},
};

const symbols: AdapterRoute = {
  name: 'symbols',
  path: '/udf/symbols',
  summary: 'One coin in the charting library’s shape',
  query: Type.Object({
    symbol: Type.String({
      description: 'A coin id, or a symbol such as BTC, perhaps after an exchange and a colon',
    }),
  }),
  response: orFailure(
    Type.Object({
      ...fields(text, 'name description exchange listed_exchange'),
      ticker: Type.String({ description: 'Our coin id' }),
      type: Type.Literal('crypto'),
      session: Type.Literal('24x7'),
      timezone: Type.Literal('Etc/UTC'),
      currency_code: Type.Literal('USD'),
      minmov: Type.Literal(1),
      pricescale: Type.Integer({
        description: 'A power of ten, by the current price: small prices have more decimals',
      }),
      ...fields(Type.Literal(true), 'has_intraday has_daily'),
      has_weekly_and_monthly: Type.Literal(false, {
        description: 'The library makes calendar weeks and months from days',
      }),
      ...fields(texts, 'intraday_multipliers supported_resolutions'),
      volume_precision: Type.Integer(),
      data_status: Type.Literal('delayed_streaming'),
      format: Type.Literal('price'),
    }),
  ),
  example: { symbol: 'btc-bitcoin' },
};

const search: AdapterRoute = {
  name: 'search',
  path: '/udf/search',
  summary: 'Active coins by symbol, name or id; without words the first ones by rank',
  query: Type.Object({
    query: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  }),
  response: orFailure(
    Type.Array(
      Type.Object({
        ...fields(text, 'symbol full_name description exchange ticker'),
        type: Type.Literal('crypto'),
      }),
    ),
  ),
  example: { query: 'BTC', limit: 2 },
};

const bars = Type.Object({
  s: Type.Literal('ok'),
  t: Type.Array(Type.Integer(), { description: 'When each bar begins: unix seconds, ascending' }),
  ...fields(numbers, 'o h l c'),
  v: Type.Optional(
    Type.Array(Type.Number(), {
      description: 'The volumes in US dollars; absent unless that of every bar is known',
    }),
  ),
});
const noBars = Type.Object({
  s: Type.Literal('no_data'),
  nextTime: Type.Optional(
    Type.Integer({ description: 'When the last earlier bar begins; absent if there is none' }),
  ),
});

const history: AdapterRoute = {
  name: 'history',
  path: '/udf/history',
  summary: 'Bars of one coin in US dollars, at most 366, the last ones before `to`',
  query: Type.Object({
    symbol: Type.String({ description: 'The ticker' }),
    resolution: Type.Enum(['60', '1D'], { description: '`D` is `1D`' }),
    from: Type.Optional(
      Type.Integer({ description: 'Unix seconds: the first bar, if there is no countback' }),
    ),
    to: Type.Integer({ description: 'Unix seconds; a bar that begins then is excluded' }),
    countback: Type.Optional(Type.Integer({ minimum: 1, description: 'How many bars before `to`' })),
  }),
  response: orFailure(Type.Union([bars, noBars])),
  example: { symbol: 'btc-bitcoin', resolution: '1D', to: 1_767_225_600, countback: 2 },
};

export const route = defineRoute({
  ...marketDataAdapter,
  name: 'udf/api',
  path: '/udf/{path+}',
  summary: "A data feed for TradingView's charting library",
  adapter: { routes: [config, time, symbols, search, history], failure },
  response: Type.Unsafe<HttpResult>(Type.Object({}, { description: 'The response of the data feed' })),
  responseHeaders: marketDataHeaders,
  maxInitBytes: 104_700,
  maxConcurrency: 10,
});
