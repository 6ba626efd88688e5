import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { ratesSource } from '../../../shared/providers/sources.ts';
import { marketDataHeaders } from '../contract.ts';

export const route = defineRoute({
  name: 'marketdata/rates',
  method: 'GET',
  path: '/api/marketdata/rates',
  summary: 'One euro in other currencies',
  description:
    'The euro’s reference rates of the last working day that has any, published in the afternoon (Frankfurt). They are for information, not for transactions. Rates older than four days are `stale`: newer ones are missing.',
  limit: 'read',
  response: Type.Object({
    base: Type.Enum(['EUR']),
    day: Type.String({ description: 'The day that the rates are of, such as 2026-01-30' }),
    rates: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
      description:
        'One euro in each currency, by ISO 4217 code in alphabetical order: decimal figures as texts',
    }),
    days: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
        description:
          'The days of those rates that are of an earlier day, if any are: for up to a week the former rate stays of a currency that is missing, or more than 10 % off until the next day confirms it',
      }),
    ),
    count: Type.Integer({ description: 'How many currencies there are' }),
  }),
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-source': `Who the rates come from: \`${ratesSource.name}\`, or \`simulated\` on a local run without it`,
    'x-data-quality': '`exact`: as the source says; `stale`: older than four days',
    'x-data-time': 'When the rates were made, in the afternoon of their day: RFC 3339, UTC',
  },
  failures: { 503: 'No exchange rates are at hand' },
  snapshot: true,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 5, // an answer is good for all callers, and caches may give it for ten minutes
});
