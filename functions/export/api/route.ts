import Type, { type TObject } from 'typebox';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { type AdapterRoute, defineRoute, withDefault } from '../../../shared/http/route.ts';
import { marketDataAdapter, marketDataHeaders } from '../../../shared/providers/contract.ts';
import { contentTypes, type Format } from '../formats/content.ts';

/** The largest number of coins in one list of prices. */
const MAX_COINS = 100;
const instant = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));
const iso8601 = 'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z';

const id = Type.String({
  pattern: '\\S',
  description: 'a coin id such as btc-bitcoin, or with a name of your own btc-bitcoin:XBT',
});
const ids = Type.Array(id, {
  minItems: 1,
  maxItems: MAX_COINS,
  description:
    'Coin ids, separated by commas: up to 100 of prices, 20 of history. A name after a colon replaces the coin’s symbol',
});
const quote = withDefault(
  Type.String({
    minLength: 1,
    maxLength: 40,
    default: 'usd',
    description:
      'The ISO 4217 code of a currency, such as usd or eur, or btc; past prices are at the exchange rate of their day. With a name of your own: usd:$',
  }),
);
const interval = withDefault(Type.Enum(['1h', '24h', '7d', '14d', '30d', '90d', '365d'], { default: '24h' }));

const prices = Type.Object({ ids, quote });
const history = Type.Object({ ids, quote, start: instant(iso8601), end: instant(iso8601), interval });

interface List {
  readonly what: string;
  readonly how: string;
  readonly query: TObject;
  readonly example: AdapterRoute['example'];
}

const lists: Readonly<Record<'prices' | 'history', List>> = {
  prices: {
    what: 'Current prices',
    how: 'Uses stored prices and makes no upstream calls.',
    query: prices,
    example: { ids: ['btc-bitcoin', 'eth-ethereum'] },
  },
  history: {
    what: 'Past prices',
    how: 'At most 366 intervals of each coin: from `start` on, or the last ones up to `end` or now. A single coin is completed as in /api/marketdata/ohlcv/{id}; for several coins only stored candles are returned.',
    query: history,
    example: { ids: ['btc-bitcoin'], start: '2026-01-01' },
  },
};

const formats: Readonly<Record<Format, string>> = {
  csv: 'comma-separated values (RFC 4180) with a header row',
  ledger: 'price directives of ledger and hledger',
  beancount: 'price directives of Beancount',
  prom: 'gauges of Prometheus',
};

function file(list: keyof typeof lists, format: Format): AdapterRoute {
  const { what, how, query, example } = lists[list];
  return {
    name: `${list}-${format}`,
    path: `/export/${list}.${format}`,
    summary: `${what}: ${formats[format]}`,
    description: how,
    query,
    response: contentTypes[format],
    example,
  };
}

export const route = defineRoute({
  ...marketDataAdapter,
  name: 'export/api',
  path: '/export/{path+}',
  summary: 'Prices as CSV, and for ledger, hledger, Beancount and Prometheus',
  query: history,
  adapter: {
    routes: [
      file('prices', 'csv'),
      file('prices', 'ledger'),
      file('prices', 'beancount'),
      file('prices', 'prom'),
      file('history', 'csv'),
      file('history', 'ledger'),
      file('history', 'beancount'),
    ],
    failure: Type.Object({ success: Type.Literal(false), error: Type.String() }),
  },
  response: Type.Unsafe<HttpResult>(Type.Object({}, { description: 'Text' })),
  responseHeaders: { ...marketDataHeaders, 'content-disposition': 'The name of the file' },
  failures: {
    400: 'A parameter is missing or malformed, or two coins have the same name',
    404: 'A coin id is unknown, or there is no such list or format',
    405: 'Neither GET nor HEAD',
    502: 'The provider is unreachable, or returns unusable data',
    503: 'The coin registry or exchange rates are not available, or the stored history of the coin has to be restored first',
    504: 'The provider does not respond in time',
  },
  maxInitBytes: 126_800,
  maxConcurrency: 10,
});
