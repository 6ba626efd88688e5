import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { coinNamed } from '../../../shared/registry/naming.ts';
import { searchable } from '../../../shared/registry/registry.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ symbol: text }, { headers, environment }) => {
  const coin = coinNamed(text, searchable(await answeringRegistry(headers, environment)));
  if (!coin) throw ApiError.notFound(`Unknown symbol: ${text}`);
  const { id, symbol, name, rank, type, is_active } = coin.entry;
  const { foundBy, alternatives, isAmbiguous } = coin;
  return { symbol, id, name, rank, type, is_active, foundBy, alternatives, isAmbiguous };
});
