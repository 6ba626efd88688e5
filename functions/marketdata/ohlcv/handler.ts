import { endpoint } from '../../../shared/http/endpoint.ts';
import { history } from '../../../shared/marketdata/history.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { windowOf } from '../../../shared/marketdata/window.ts';
import { coinPaprika } from '../../../shared/providers/coinpaprika/client.ts';
import { refreshInBackground } from '../../../shared/registry/answers.ts';
import { assertKnownCoin } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { environment, headers, deadline }) => {
  const { id, interval, quote, limit, start, end } = input;
  await assertKnownCoin(id);
  refreshInBackground(environment);
  const window = windowOf({ interval, limit, start, end }, Date.now());
  const { candles, quality, from } = await history(coinPaprika(environment), { id, quote, window }, deadline);
  setSourceHeaders(headers, from, quality);
  return { coinId: id, interval, quote, count: candles.length, data: candles };
});
