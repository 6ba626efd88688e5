import {
  BadRequestError,
  HttpError,
  Router,
  UnauthorizedError,
} from '@aws-lambda-powertools/event-handler/http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { cachedTicker, isAllowed, isCoinId, takeRequest } from './ticker-service.ts';

const app = new Router();

app.errorHandler(Error, async (error) => ({
  statusCode: error instanceof HttpError ? error.statusCode : 502,
  headers: { 'cache-control': 'no-store' },
  body: JSON.stringify({ success: false, error: error.message }),
}));

app.use(async ({ reqCtx, next }) => {
  if (!isAllowed(reqCtx.req.headers.get('x-api-key') ?? undefined))
    throw new UnauthorizedError('Unauthorized');
  await next();
  reqCtx.res.headers.set('x-content-type-options', 'nosniff');
});

app.use(async ({ reqCtx, next }) => {
  const { allowed, headers } = takeRequest(sourceIp(reqCtx.event));
  if (!allowed)
    return Response.json({ success: false, error: 'Rate limit exceeded' }, { status: 429, headers });
  await next();
  for (const [name, value] of Object.entries(headers)) reqCtx.res.headers.set(name, value);
});

app.get('/api/marketdata/ticker/:id', async ({ params: { id } }) => {
  if (!isCoinId(id)) throw new BadRequestError('Missing parameter: id');
  const { data, cacheControl } = await cachedTicker(id);
  return Response.json({ success: true, data }, { headers: { 'cache-control': cacheControl } });
});

function sourceIp({ requestContext }: object & { requestContext: object }): string {
  return 'http' in requestContext
    ? (requestContext as APIGatewayProxyEventV2['requestContext']).http.sourceIp
    : 'unknown';
}

export const handler = (event: APIGatewayProxyEventV2, context: Context) => app.resolve(event, context);
