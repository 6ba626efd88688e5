import { endpoint } from '../../../shared/endpoint.ts';
import { answeringRegistry } from '../../../shared/registry/answers.ts';
import { openSearch } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

openSearch();

export const handler = endpoint(route, async (input, { headers, environment }) => {
  const { q, limit = 20, active = false, type } = input;
  const registry = await answeringRegistry(headers, environment);
  const results = registry.search(q, limit, { activeOnly: active, type });
  return { query: q, count: results.length, results };
});
