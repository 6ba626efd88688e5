import { SecretValue } from 'aws-cdk-lib';
import type { RouteDefinition } from '../../shared/http/route.ts';
import { type EnvironmentName, pipelineEnvironment } from '../../shared/platform/environment.ts';
import { SECRET_REFERENCE } from '../../shared/platform/fetched-secret.ts';
import type { StageConfig } from '../config.ts';
import { fetchedSecrets } from './fetched-secrets.ts';

/**
 * The environment of a function; one that answers requests has the client's keys. The pipeline's and the provider's
 * secrets are dynamic references that CloudFormation resolves when it deploys: the template holds no value, and no cold
 * start waits for one. Of those that a route declares the function gets the names, and fetches the values itself.
 * A stage need not have those that only some requests ask for (`requestSecrets`): the others work without.
 */
export function functionEnvironment(
  route: Pick<RouteDefinition, 'environment' | 'secrets' | 'requestSecrets'>,
  { nodeEnv, environment, secretNames }: Pick<StageConfig, 'nodeEnv' | 'environment' | 'secretNames'>,
  metricsNamespace: string,
  sharedSecrets: Readonly<Partial<Record<EnvironmentName, SecretValue>>> = {},
): Record<string, string> {
  const settings: Readonly<Record<string, string>> = environment;
  const given: Record<string, string> = { NODE_ENV: nodeEnv, METRICS_NAMESPACE: metricsNamespace };
  for (const [name, key] of Object.entries(sharedSecrets)) given[name] = key.unsafeUnwrap();
  for (const [name, secret] of fetchedSecrets(route, { secretNames }))
    given[name] = SECRET_REFERENCE + secret;
  for (const name of [...pipelineEnvironment, ...(route.environment ?? [])]) {
    if (name in given) continue;
    const secretName = secretNames[name];
    const value = secretName ? SecretValue.secretsManager(secretName).unsafeUnwrap() : settings[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}
