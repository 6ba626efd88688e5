import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { ratesSources } from '../../../shared/providers/sources.ts';
import { marketDataHeaders } from '../contract.ts';

const names = Object.values(ratesSources).map(({ name }) => name);

export const route = defineRoute({
  name: 'marketdata/rates',
  method: 'GET',
  path: '/api/marketdata/rates',
  summary: 'One euro in other currencies',
  description:
    'The euro’s reference rates of the last working day with published rates, which appear in the afternoon, and the latest rates of all other currencies and of gold, silver, platinum and palladium, as central banks publish them. They are for information, not for transactions. A rate may be six days old; older ones are `stale`, because newer ones are missing.',
  limit: 'read',
  response: Type.Object({
    base: Type.Enum(['EUR']),
    day: Type.String({ description: 'The day of the rates, such as 2026-01-30, unless `days` has another' }),
    rates: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
      description:
        'One euro in each currency, by ISO 4217 code in alphabetical order: decimal numbers as strings',
    }),
    days: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
        description:
          'The days of rates from another day, if there are any. The former rate of a currency stays for up to six days if the new one is missing, or is more than 10 % off until the next day confirms it',
      }),
    ),
    sources: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.String(), {
        description:
          'The sources of rates that are not from the first one in `x-data-source`, if there are any',
      }),
    ),
    count: Type.Integer({ description: 'The number of currencies' }),
  }),
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-source': `The sources of the rates, the most important first: ${names.map((name) => `\`${name}\``).join(', ')}, or \`simulated\` on a local run without them`,
    'x-data-quality': '`exact`: as published by the source; `stale`: older than six days',
    'x-data-time': 'When the rates were made, in the afternoon of their day: RFC 3339, UTC',
  },
  failures: { 503: 'No exchange rates are available' },
  snapshot: true,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 5, // an answer is good for all callers, and caches may give it for ten minutes
});
