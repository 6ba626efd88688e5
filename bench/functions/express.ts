import express, { type ErrorRequestHandler } from 'express';
import serverless from 'serverless-http';
import { cachedTicker, isAllowed, isCoinId, takeRequest } from './ticker-service.ts';

const app = express();

app.use((request, response, next) => {
  response.set('x-content-type-options', 'nosniff');
  if (!isAllowed(request.get('x-api-key'))) throw refusal(401, 'Unauthorized');
  next();
});

app.use((request, response, next) => {
  const { allowed, headers } = takeRequest(request.ip ?? 'unknown');
  response.set(headers);
  if (!allowed) throw refusal(429, 'Rate limit exceeded');
  next();
});

app.get('/api/marketdata/ticker/:id', async (request, response) => {
  const { id } = request.params;
  if (!isCoinId(id)) throw refusal(400, 'Missing parameter: id');
  const { data, cacheControl } = await cachedTicker(id);
  response.set('cache-control', cacheControl).json({ success: true, data });
});

// Express knows an error handler by its four parameters.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(error.statusCode ?? 502).set('cache-control', 'no-store');
  response.json({ success: false, error: error.message });
};
app.use(onError);

function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

export const handler = serverless(app);
