import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Calls } from './calls.ts';
import type { FaultSwitch } from './faults.ts';

/**
 * Routes that the real provider does not have, for tests in another process: `POST /__fault` with a fault's text
 * (empty: none) and `GET /__calls`. Returns whether it took the request.
 */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  faults: FaultSwitch,
  calls: Calls,
): Promise<boolean> {
  const route = `${request.method} ${request.url}`;
  if (route === 'POST /__fault') {
    try {
      faults.set(await text(request));
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(error instanceof Error ? error.message : 'Bad fault');
    }
    return true;
  }
  if (route === 'GET /__calls') {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ total: calls.total, byPath: calls.byPath }));
    return true;
  }
  return false;
}
