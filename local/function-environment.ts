/** The environment of a local function: the template's, with this machine's values where it has them. */
import { pipelineEnvironment } from '../shared/platform/environment.ts';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import type { TemplateFunction } from './template.ts';

export type LocalEnvironment = Readonly<Record<string, string | undefined>>;

/** The names that a route of the table adds to its function, besides the template's. */
export interface RouteNeeds {
  readonly environment?: readonly string[];
  readonly secrets?: readonly string[];
  readonly allSecrets?: readonly string[];
}

const fetchingNames = [
  'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
];

/**
 * Only names of the template, the routes or the pipeline are taken from `local`. A local value overrides the
 * template's, and `NODE_ENV` defaults to `development`. If the local value names a secret to fetch, the function gets
 * this machine's credentials.
 */
export function functionEnvironment(
  fn: Pick<TemplateFunction, 'environment'>,
  routes: readonly RouteNeeds[],
  local: LocalEnvironment,
): Record<string, string> {
  const needed = routes.flatMap(({ environment = [], secrets = [], allSecrets = [] }) => [
    ...environment,
    ...secrets,
    ...allSecrets,
  ]);
  const environment: Record<string, string> = {};
  const fetches = needed.some((name) => local[name]?.startsWith(SECRET_REFERENCE));
  const names = [...pipelineEnvironment, ...Object.keys(fn.environment), ...needed];
  for (const name of new Set([...names, ...(fetches ? fetchingNames : [])])) {
    const value = local[name] || (name === 'NODE_ENV' ? 'development' : fn.environment[name]);
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
