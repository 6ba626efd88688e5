import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** Stands between the jobs and the provider until the test is over: multiplies the prices of some coins, by id. */
export async function startLiar(providerUrl: string): Promise<Map<string, number>> {
  const factors = new Map<string, number>();
  await startBetween('COINPAPRIKA_BASE_URL', providerUrl, (json, path) => {
    if (!path.endsWith('/tickers')) return;
    const tickers = json as readonly Ticker[]; // that is what this path gives
    for (const { id, quotes } of tickers) quotes.USD.price *= factors.get(id) ?? 1;
  });
  return factors;
}

interface Ticker {
  readonly id: string;
  readonly quotes: { readonly USD: { price: number } };
}

/**
 * Stands between the jobs and the server at that URL, which they find by that variable, until the test is over: changes
 * the JSON of each answer in place.
 */
export async function startBetween(
  variable: string,
  serverUrl: string,
  change: (json: unknown, path: string) => void,
): Promise<void> {
  const server = createServer(async ({ url: path = '' }, response) => {
    const answer = await fetch(`${serverUrl}${path}`);
    const json: unknown = await answer.json();
    change(json, path);
    response.statusCode = answer.status;
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', answer.headers.get('date') ?? '');
    response.end(JSON.stringify(json));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv(variable, `http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on TCP
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
}
