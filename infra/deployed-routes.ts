import type { Domain } from '../shared/http/domain.ts';
import { type RouteDefinition, withItsSecrets } from '../shared/http/route.ts';
import type { Job } from '../shared/platform/job.ts';
import type { StageConfig } from './config.ts';

/** The routes of a stage: those of the table whose secrets it names. */
export function deployedRoutes<R extends Pick<RouteDefinition, 'secrets' | 'requestSecrets'>>(
  table: readonly R[],
  { secretNames }: Pick<StageConfig, 'secretNames'>,
): R[] {
  return withItsSecrets(table, (name) => name in secretNames);
}

/** The containers of an account that must stay unreserved (Lambda Developer Guide, "Reserved concurrency"). */
const UNRESERVED = 100;

/** The account's quota of concurrent executions that a stage with reserved concurrency needs. */
export function requiredConcurrency(
  table: readonly Pick<RouteDefinition, 'secrets' | 'requestSecrets' | 'maxConcurrency'>[],
  config: Pick<StageConfig, 'secretNames'>,
): number {
  return deployedRoutes(table, config).reduce(
    (sum, { maxConcurrency = 0 }) => sum + maxConcurrency,
    UNRESERVED,
  );
}

/** The jobs of a stage: all except those that its configuration leaves out. */
export function deployedJobs<J extends Pick<Job, 'onlyWith'>>(
  table: readonly J[],
  config: Pick<StageConfig, 'monthlyExport' | 'probe'>,
): J[] {
  return table.filter(({ onlyWith }) => !onlyWith || config[onlyWith]);
}

/** The domains with at least one route in a stage. */
export function deployedDomains(
  table: readonly Domain[],
  config: Pick<StageConfig, 'secretNames'>,
): Domain[] {
  return table.filter(({ routes }) => deployedRoutes(routes, config).length > 0);
}
