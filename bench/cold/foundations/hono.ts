import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import { cachedTicker, isAllowed, isCoinId, takeRequest } from './ticker-service.ts';

const app = new Hono<{ Bindings: { event: LambdaEvent } }>();

app.onError((error, c) => {
  c.header('cache-control', 'no-store');
  return c.json(
    { success: false, error: error.message },
    error instanceof HTTPException ? error.status : 502,
  );
});

app.use(async (c, next) => {
  c.header('x-content-type-options', 'nosniff');
  if (!isAllowed(c.req.header('x-api-key'))) throw new HTTPException(401, { message: 'Unauthorized' });
  await next();
});

app.use(async (c, next) => {
  const { allowed, headers } = takeRequest(sourceIp(c.env.event));
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (!allowed) throw new HTTPException(429, { message: 'Rate limit exceeded' });
  await next();
});

const path = validator('param', ({ id }) => {
  if (!isCoinId(id)) throw new HTTPException(400, { message: 'Missing parameter: id' });
  return { id };
});

app.get('/api/marketdata/ticker/:id', path, async (c) => {
  const { data, cacheControl } = await cachedTicker(c.req.valid('param').id);
  c.header('cache-control', cacheControl);
  return c.json({ success: true, data });
});

function sourceIp({ requestContext }: LambdaEvent): string {
  return 'http' in requestContext ? requestContext.http.sourceIp : 'unknown';
}

export const handler = handle(app);
