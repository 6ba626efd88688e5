import { endpoint } from '../../../shared/http/endpoint.ts';
import { history } from '../../../shared/marketdata/history.ts';
import { tellProvenance } from '../../../shared/marketdata/provenance.ts';
import { windowOf } from '../../../shared/marketdata/window.ts';
import { coinPaprika } from '../../../shared/providers/coinpaprika/client.ts';
import { refreshBeside } from '../../../shared/registry/answers.ts';
import { refuseUnknownId } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { environment, headers, deadline }) => {
  const { id, interval = '24h', quote = 'usd', limit = 30, start, end } = input;
  await refuseUnknownId(id);
  refreshBeside(environment);
  const window = windowOf({ interval, limit, start, end }, Date.now());
  const { candles, quality, from } = await history(coinPaprika(environment), { id, quote, window }, deadline);
  tellProvenance(headers, from, quality);
  return { coinId: id, interval, quote, count: candles.length, data: candles };
});
