import { endpoint } from '../../../shared/http/endpoint.ts';
import { answeringRegistry, unknownId } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id }, { headers, environment }) => {
  const registry = await answeringRegistry(headers, environment, id);
  const entry = registry.getById(id);
  if (!entry) throw await unknownId(registry, id);
  return entry;
});
