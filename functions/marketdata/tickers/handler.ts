import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { answeringRegistry, refreshRegistry } from '../../../shared/registry/container.ts';
import { setHeadersOfAll } from './answer.ts';
import { byIds, bySymbols } from './named.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { environment, headers }) => {
  const { ids, symbols } = input;
  if (ids !== undefined && symbols !== undefined)
    throw new ApiError(400, 'Invalid parameter symbols: given beside ids; allowed: one of the two');
  if (symbols !== undefined) {
    // Its headers tell of the registry, and the answer's tell of the tickers.
    const { results, tickers } = await bySymbols(
      environment,
      symbols,
      await answeringRegistry({}, environment),
    );
    setHeadersOfAll(headers, tickers);
    return { count: results.length, results };
  }
  await refreshRegistry(environment);
  if (ids !== undefined) {
    const { results, tickers } = await byIds(environment, ids);
    setHeadersOfAll(headers, tickers);
    return { count: results.length, results };
  }
  // Most requests name their coins, and load none of this.
  const { listedPage } = await import('./page.ts');
  const { results, tickers, nextCursor } = await listedPage(environment, input);
  setHeadersOfAll(headers, tickers);
  return { count: results.length, results, nextCursor };
});

await atInit(currentSnapshot);
