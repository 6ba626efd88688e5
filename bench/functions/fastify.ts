import awsLambdaFastify from '@fastify/aws-lambda';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import Fastify, { type FastifyError, type FastifyRequest } from 'fastify';
import { cachedTicker, isAllowed, takeRequest } from './ticker-service.ts';

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
});

app.addHook('onRequest', async (request, reply) => {
  const { allowed, headers } = takeRequest(sourceIp(request));
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

function sourceIp(request: FastifyRequest): string {
  // The adapter's decoration, which its types do not declare.
  const { awsLambda } = request as FastifyRequest & { awsLambda: { event: APIGatewayProxyEventV2 } };
  return awsLambda.event.requestContext.http.sourceIp;
}

export const handler = awsLambdaFastify<APIGatewayProxyEventV2>(app);

await app.ready(); // after the adapter, which decorates the request
