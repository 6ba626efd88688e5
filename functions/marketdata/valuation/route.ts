import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { amountWords, rounding } from '../../../shared/marketdata/serve/decimals.ts';
import { relatedCoins } from '../contract.ts';
import { decimalField, instant, moneyRoute, noRates, originFields } from '../convert/route.ts';

const MAX_HOLDINGS = 200;

/** An amount, which `checkHoldings` checks in full, because it can name the holding at fault. */
const amount = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

const holding = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A coin id' })),
  symbol: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Instead of the id: as for `resolve`' }),
  ),
  amount: amount(amountWords),
  cost: Type.Optional(amount('Its total cost, in the currency of the valuation, in the format of `amount`')),
});

/** Positions and missing holdings are in the order of the request. */
const index = Type.Integer({ description: 'The holding’s position in the request, from 0' });
const percent = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const optionalText = (description: string) =>
  Type.Union([decimalField(description), Type.Null()], { description });

const position = Type.Object({
  index,
  id: Type.String(),
  symbol: Type.String(),
  name: Type.String(),
  ...relatedCoins,
  amount: decimalField('The given amount, without trailing zeros'),
  price: decimalField('The price of one unit, in the currency'),
  value: decimalField('The value in the currency'),
  sharePercent: percent('The share of the total; null if that is 0'),
  change24hPercent: percent(
    'The change of the price in US dollars; null if it is not known, and at an instant',
  ),
  cost: optionalText('The given cost; null without one'),
  profit: optionalText('The value less the cost; null without a cost'),
  profitPercent: percent('The profit in percent of the cost; null without one, or if it is 0'),
  ...originFields,
});

const missing = Type.Object({
  index,
  id: Type.Union([Type.String(), Type.Null()], { description: 'Null if it is unknown' }),
  symbol: Type.Union([Type.String(), Type.Null()], { description: 'The given symbol' }),
  amount: decimalField('The given amount, without trailing zeros'),
  reason: Type.Enum(['unknown', 'ambiguous', 'unnamed', 'unpriced'], {
    description:
      'unknown: there is no coin of that name, or another replaced it at a ratio that the message states; ambiguous: the symbol is also the code of a currency, or not that of the id; unnamed: neither id nor symbol; unpriced: no stored price',
  }),
  message: Type.String({ description: 'The reason in words, with the next step' }),
});

export const route = defineRoute({
  ...moneyRoute,
  name: 'marketdata/valuation',
  method: 'POST',
  path: '/api/marketdata/valuation',
  summary: 'The value of holdings',
  description:
    'Uses stored prices and exchange rates, and makes no upstream calls. With `at` these are the latest prices of at most a day before that instant, and the exchange rate that counted then. Each holding is a position of its ' +
    'own, also if a coin occurs twice. Holdings without a price are listed in `missing` and are not part of the ' +
    `total. Amounts of money are rounded once, to ${rounding}; percentages to four decimals, and null beyond 10^15. ` +
    'Unknown fields are refused.',
  body: Type.Object({
    holdings: Type.Array(holding, {
      minItems: 1,
      maxItems: MAX_HOLDINGS,
      description: `a list of 1 to ${MAX_HOLDINGS} objects with id or symbol, amount, and optionally cost; amount and cost are each ${amountWords}`,
    }),
    currency: withDefault(
      Type.String({
        pattern: '^[A-Za-z]{3}$',
        default: 'usd',
        description: "a currency's ISO 4217 code of three letters, such as EUR",
      }),
    ),
    at: Type.Optional(instant),
  }),
  maxBodyBytes: 65_536,
  response: Type.Object({
    currency: Type.String({ description: 'The code of the currency' }),
    total: decimalField(
      'The value of all positions, in the currency; values are added before they are rounded',
    ),
    isComplete: Type.Boolean({ description: 'Whether every holding is part of the total' }),
    change24hPercent: percent(
      'The change of the total in 24 hours, in US dollars, as far as the changes of its positions are known; null if none is',
    ),
    changeCoversPercent: percent('The share of the total whose change is known; null if the total is 0'),
    positions: Type.Array(position),
    missing: Type.Array(missing),
    exchangeRate: Type.Union(
      [Type.Object({ oneUsd: decimalField('One US dollar in the currency'), ...originFields }), Type.Null()],
      {
        description:
          'The rate from US dollars, the currency of prices, to the currency; null if that is the US dollar',
      },
    ),
    rounding: Type.Enum([rounding], { description: 'The rounding of amounts of money' }),
  }),
  failures: { 503: noRates },
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS', 'TICKER_FRESH_SECONDS', 'TOKEN_SOURCES'],
  example: {
    holdings: [
      { id: 'btc-bitcoin', amount: '0.25', cost: '15000' },
      { symbol: 'eth', amount: '4' },
    ],
  },
  maxInitBytes: 94_500,
  timeoutSeconds: 10,
});
