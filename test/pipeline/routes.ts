import Type from 'typebox';
import { defineRoute } from '../../shared/http/route.ts';

const common = { memoryMb: 128, timeoutSeconds: 15, maxConcurrency: 1, example: {} } as const;

/** Reads: every kind of parameter that a query can have. */
export const coinsRoute = defineRoute({
  ...common,
  name: 'test/coins',
  method: 'GET',
  path: '/api/test/{chain}/coins/{id}',
  summary: 'Coins of a chain',
  limit: 'read',
  pathParameters: Type.Object({
    chain: Type.String({ minLength: 1 }),
    id: Type.String({ minLength: 1, maxLength: 20, description: 'a coin id' }),
  }),
  query: Type.Object({
    q: Type.String({ minLength: 1, maxLength: 10 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
    interval: Type.Optional(Type.Enum(['1h', '24h'], { default: '24h' })),
    active: Type.Optional(Type.Boolean()),
    share: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  response: Type.Unknown(),
});

/** An unsigned transaction for a swap; needs a secret. */
export const swapRoute = defineRoute({
  ...common,
  name: 'test/swap',
  method: 'POST',
  path: '/api/test/swap',
  summary: 'An unsigned swap',
  limit: 'quote',
  body: Type.Object({
    fromToken: Type.String({ minLength: 1, pattern: '^0x[0-9a-f]+$', description: 'a token address' }),
    toToken: Type.String({ minLength: 1, description: 'a token address' }),
    amount: Type.String({ minLength: 1, description: 'an amount in wei, as a text' }),
    slippage: Type.Optional(Type.Number({ minimum: 0, maximum: 50, default: 0.5 })),
    hops: Type.Optional(Type.Array(Type.String(), { description: 'a list of addresses' })),
    options: Type.Optional(
      Type.Object({ exact: Type.Boolean({ default: true }) }, { description: 'an object of options' }),
    ),
  }),
  maxBodyBytes: 16_384,
  secrets: ['X_API_KEY'],
  response: Type.Object({
    to: Type.String(),
    data: Type.String(),
    value: Type.String(),
    gasLimit: Type.String(),
  }),
});

/** An RPC proxy. */
export const rpcRoute = defineRoute({
  ...common,
  name: 'test/rpc',
  method: 'POST',
  path: '/api/test/rpc/{network}',
  summary: 'An RPC proxy',
  limit: 'proxy',
  pathParameters: Type.Object({ network: Type.String({ minLength: 1 }) }),
  body: Type.Object({ method: Type.String({ minLength: 1 }) }),
  response: Type.Unknown(),
});

/** Asks for nothing. */
export const pingRoute = defineRoute({
  ...common,
  name: 'test/ping',
  method: 'GET',
  path: '/api/test/ping',
  summary: 'Ping',
  limit: 'read',
  response: Type.Unknown(),
});
