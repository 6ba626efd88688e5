import type { Domain } from '../shared/http/domain.ts';
import type { RouteDefinition } from '../shared/http/route.ts';
import type { StageConfig } from './config.ts';

/**
 * The routes that a stage has: all of the table but those of which it could serve no request, because it names no
 * set of `requestSecrets` in full.
 */
export function deployedRoutes<R extends Pick<RouteDefinition, 'requestSecrets'>>(
  table: readonly R[],
  { secretNames }: Pick<StageConfig, 'secretNames'>,
): R[] {
  return table.filter(
    ({ requestSecrets }) => requestSecrets?.some((set) => set.every((name) => name in secretNames)) ?? true,
  );
}

/** The domains of which a stage has a route. */
export function deployedDomains(
  table: readonly Domain[],
  config: Pick<StageConfig, 'secretNames'>,
): Domain[] {
  return table.filter(({ routes }) => deployedRoutes(routes, config).length > 0);
}
