import { endpoint } from '../../../shared/http/endpoint.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { cursorOf, positionOf } from './cursor.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { headers, environment }) => {
  const { symbol, active, ranked, type, limit, cursor } = input;
  const registry = await answeringRegistry(headers, environment);
  const { version } = registry.manifest;
  const position = cursor === undefined ? 0 : positionOf(cursor, version);
  const filter = { symbol, activeOnly: active, ranked, type };
  const { total, entries, next } = registry.page(filter, position, limit);
  return {
    count: entries.length,
    total,
    results: [...entries],
    nextCursor: next === null ? null : cursorOf(next, version),
  };
});
