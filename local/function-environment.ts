/** The environment of a function here: the template's, with this machine's values for those that it has. */
import { pipelineEnvironment } from '../shared/platform/environment.ts';
import { SECRET_REFERENCE } from '../shared/platform/fetched-secret.ts';
import type { TemplateFunction } from './template.ts';

export type LocalEnvironment = Readonly<Record<string, string | undefined>>;

/** The names that a route of the table gives its function, beside those in the template. */
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
 * Only names of the template, of the routes or of the pipeline: nothing else of `local` gets in. A local value comes
 * before the template's, and `NODE_ENV` is `development` unless `local` says otherwise. A function that is to fetch a
 * secret, because the local value names one, gets this machine's credentials for it.
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
