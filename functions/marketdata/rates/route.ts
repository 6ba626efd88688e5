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
    'The euro’s reference rates of the last working day with published rates; they are published in the afternoon (Frankfurt). They are for information, not for transactions. Rates older than four days are `stale`, because newer ones are missing.',
  limit: 'read',
  response: Type.Object({
    base: Type.Enum(['EUR']),
    day: Type.String({ description: 'The day of the rates, such as 2026-01-30' }),
    rates: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
      description:
        'One euro in each currency, by ISO 4217 code in alphabetical order: decimal numbers as strings',
    }),
    days: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
        description:
          'The days of rates from an earlier day, if there are any. The former rate of a currency stays for up to a week if the new one is missing, or is more than 10 % off until the next day confirms it',
      }),
    ),
    count: Type.Integer({ description: 'The number of currencies' }),
  }),
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-source': `The source of the rates: \`${ratesSource.name}\`, or \`simulated\` on a local run without it`,
    'x-data-quality': '`exact`: as published by the source; `stale`: older than four days',
    'x-data-time': 'When the rates were made, in the afternoon of their day: RFC 3339, UTC',
  },
  failures: { 503: 'No exchange rates are available' },
  snapshot: true,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 5, // an answer is good for all callers, and caches may give it for ten minutes
});
