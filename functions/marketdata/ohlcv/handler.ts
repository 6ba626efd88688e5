import { endpoint } from '../../../shared/http/endpoint.ts';
import { history, prepareHistory } from '../../../shared/marketdata/history.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { priceIn } from '../../../shared/marketdata/running.ts';
import { currentSnapshot } from '../../../shared/marketdata/snapshot/cache.ts';
import { windowOf } from '../../../shared/marketdata/window.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { clientFor } from '../../../shared/providers/index.ts';
import { isActiveCoin, refreshInBackground } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

/** Its series is worth having before anybody asks; taking it opens the connection that every request takes. */
const MOST_ASKED = 'btc-bitcoin';

export const handler = endpoint(route, async (input, dependencies) => {
  const { environment, headers, deadline, payer } = dependencies;
  const { id, interval, quote, limit, start, end, provenance } = input;
  const isActive = await isActiveCoin(id);
  refreshInBackground(environment);
  const window = windowOf({ interval, limit, start, end }, Date.now());
  const snapshot = window.closed ? undefined : currentSnapshot(environment);
  const { candles, quality, ...from } = await history(
    clientFor(environment, 'candles', 'prices'),
    { id, quote, window },
    {
      deadline,
      client: payer,
      staleWaitMs: Number(environment.STALE_WAIT_MS),
      isActive,
      price: async () => priceIn(await snapshot, id, quote),
    },
  );
  setSourceHeaders(headers, from, quality);
  const data = provenance ? candles : candles.map(({ complete, ...candle }) => candle);
  return { coinId: id, interval, quote, count: data.length, data };
});

await atInit(currentSnapshot, (environment) => {
  const window = windowOf({ interval: '24h', limit: 30 }, Date.now());
  const client = clientFor(environment, 'candles', 'prices');
  return prepareHistory(client, { id: MOST_ASKED, quote: 'usd', window });
});
