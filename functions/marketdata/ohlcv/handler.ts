import { endpoint } from '../../../shared/http/endpoint.ts';
import { history } from '../../../shared/marketdata/history.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { windowOf } from '../../../shared/marketdata/window.ts';
import { clientFor } from '../../../shared/providers/index.ts';
import { assertKnownCoin, refreshInBackground } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { environment, headers, deadline }) => {
  const { id, interval, quote, limit, start, end } = input;
  await assertKnownCoin(id);
  refreshInBackground(environment);
  const window = windowOf({ interval, limit, start, end }, Date.now());
  const { candles, quality, from } = await history(
    clientFor(environment, 'candles', 'prices'),
    { id, quote, window },
    { deadline, staleWaitMs: Number(environment.STALE_WAIT_MS) },
  );
  setSourceHeaders(headers, from, quality);
  return { coinId: id, interval, quote, count: candles.length, data: candles };
});
