/** What a user would write instead: a Fastify server that caches the provider's responses. Sends its address. */
import Fastify, { type FastifyError } from 'fastify';
import { cachedTicker, isAllowed, takeRequest } from '../cold/foundations/ticker-service.ts';

const app = Fastify();

app.setErrorHandler<FastifyError>((error, _request, reply) =>
  reply
    .code(error.statusCode ?? 502)
    .header('cache-control', 'no-store')
    .send({ success: false, error: error.message }),
);

app.addHook('onRequest', async (request, reply) => {
  reply.header('x-content-type-options', 'nosniff');
  const key = request.headers['x-api-key'];
  if (!isAllowed(typeof key === 'string' ? key : undefined)) throw refusal(401, 'Unauthorized');
  const { allowed, headers } = takeRequest(request.ip);
  reply.headers(headers);
  if (!allowed) throw refusal(429, 'Rate limit exceeded');
});

const params = {
  type: 'object',
  properties: { id: { type: 'string', minLength: 1, maxLength: 200 } },
  required: ['id'],
};

app.get<{ Params: { id: string } }>(
  '/api/marketdata/ticker/:id',
  { schema: { params } },
  async (request, reply) => {
    const { data, cacheControl } = await cachedTicker(request.params.id);
    reply.header('cache-control', cacheControl);
    return { success: true, data };
  },
);

function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
