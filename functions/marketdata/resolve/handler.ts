import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { coinOfSymbol } from '../../../shared/registry/lookups.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ symbol }, { headers, environment }) => {
  const registry = await answeringRegistry(headers, environment);
  const entry = coinOfSymbol(symbol, registry);
  if (!entry) throw ApiError.notFound(`Unknown symbol: ${symbol}`);
  const sharing = registry.searchBySymbol(symbol, { activeOnly: true });
  const { name, rank, type } = entry;
  return { symbol: entry.symbol, id: entry.id, name, rank, type, alternatives: sharing.length - 1 };
});
