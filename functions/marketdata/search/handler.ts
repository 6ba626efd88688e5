import { endpoint } from '../../../shared/http/endpoint.ts';
import { answeringRegistry } from '../../../shared/registry/answers.ts';
import { currentRegistry, replaceRegistry, tryOpen } from '../../../shared/registry/container.ts';
import { searchable } from '../../../shared/registry/registry.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { headers, environment }) => {
  const { q, limit, active, type } = input;
  const registry = await answeringRegistry(headers, environment);
  const results = searchable(registry).search(q, limit, { activeOnly: active, type });
  return { query: q, count: results.length, results };
});

/** Reads what the search needs before the first request; a registry that cannot be searched is none. */
function openSearch(): void {
  const registry = currentRegistry();
  if (!registry) return;
  replaceRegistry(
    tryOpen(() => {
      searchable(registry).prepareSearch();
      return registry;
    }),
  );
}

openSearch();
