import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/**
 * Stands between the jobs and the provider until the test is over: tells the prices of some coins, by id, multiplied by
 * these factors.
 */
export async function startLiar(providerUrl: string): Promise<Map<string, number>> {
  const factors = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${providerUrl}${request.url}`);
    const tickers = (await answer.json()) as readonly Ticker[]; // the jobs ask for nothing else
    for (const { id, quotes } of tickers) quotes.USD.price *= factors.get(id) ?? 1;
    response.statusCode = answer.status;
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', answer.headers.get('date') ?? '');
    response.end(JSON.stringify(tickers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('COINPAPRIKA_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on TCP
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return factors;
}

interface Ticker {
  readonly id: string;
  readonly quotes: { readonly USD: { price: number } };
}
