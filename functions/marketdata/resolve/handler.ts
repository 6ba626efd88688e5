import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { coinNamed } from '../../../shared/registry/naming.ts';
import { searchable } from '../../../shared/registry/registry.ts';
import { relatedFields } from '../../../shared/registry/successors.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ symbol: text }, { headers, environment }) => {
  const registry = await answeringRegistry(headers, environment);
  const coin = coinNamed(text, searchable(registry));
  if (!coin) throw ApiError.notFound(`Unknown symbol: ${text}`);
  const { id, symbol, name, rank, type, is_active } = coin.entry;
  const { foundBy, alternatives, isAmbiguous } = coin;
  const related = relatedFields(id, coin.predecessor, registry);
  return { symbol, id, name, rank, type, is_active, foundBy, alternatives, isAmbiguous, ...related };
});
