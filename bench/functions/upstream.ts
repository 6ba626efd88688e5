import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A ticker with the provider's fields and figures of a usual length. */
export const ticker = {
  id: 'btc-bitcoin',
  name: 'Bitcoin',
  symbol: 'BTC',
  rank: 1,
  circulating_supply: 19016044,
  total_supply: 19016031,
  max_supply: 21000000,
  beta_value: 0.887912,
  first_data_at: '2010-07-17T00:00:00Z',
  // An old one would be answered as stale, and be loaded anew by each request.
  last_updated: `${new Date().toISOString().slice(0, 19)}Z`,
  quotes: {
    USD: {
      price: 91389.57931641128,
      volume_24h: 35357658696.99645,
      volume_24h_change_24h: 15.07,
      market_cap: 1787066061422,
      market_cap_change_24h: 5.25,
      percent_change_15m: -0.15,
      percent_change_30m: -0.39,
      percent_change_1h: -0.66,
      percent_change_6h: 1.96,
      percent_change_12h: 1.66,
      percent_change_24h: 5.25,
      percent_change_7d: 3.22,
      percent_change_30d: 1.15,
      percent_change_1y: -25.61,
      ath_price: 126204.137036932,
      ath_date: '2025-10-06T18:51:15Z',
      percent_from_price_ath: -27.59,
    },
  },
};

/** A server on loopback that answers every request with the ticker. */
export async function startUpstream(): Promise<{ url: string; close(): void }> {
  const body = JSON.stringify(ticker);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
