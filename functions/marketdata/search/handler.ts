import { endpoint } from '../../../shared/http/endpoint.ts';
import { answeringRegistry, prepareRegistry } from '../../../shared/registry/container.ts';
import { searchable } from '../../../shared/registry/registry.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { headers, environment }) => {
  const { q, limit, active, type } = input;
  const registry = await answeringRegistry(headers, environment);
  const results = searchable(registry).search(q, limit, { activeOnly: active, type });
  return { query: q, count: results.length, results };
});

// Read before the first request; a registry that cannot be searched counts as missing.
prepareRegistry((registry) => searchable(registry).prepareSearch());
