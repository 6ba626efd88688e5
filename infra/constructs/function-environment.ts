import { SecretValue } from 'aws-cdk-lib';
import type { RouteDefinition } from '../../shared/http/route.ts';
import {
  type EnvironmentName,
  nodeEnvProblem,
  parseEnvironment,
  pipelineEnvironment,
} from '../../shared/platform/environment.ts';
import type { StageConfig } from '../config.ts';

/**
 * The environment of a function; one that answers requests has the client's keys. Secrets are dynamic references that
 * CloudFormation resolves when it deploys: the template holds no value, and a function calls nobody to read one.
 * A stage need not have those that only some requests ask for (`requestSecrets`): the others work without.
 * Throws if the route needs a secret that the stage does not name, or a setting or the stage's `nodeEnv` is not usable.
 */
export function functionEnvironment(
  route: Pick<RouteDefinition, 'environment' | 'secrets' | 'requestSecrets'> & { readonly name: string },
  { nodeEnv, environment, secretNames }: Pick<StageConfig, 'nodeEnv' | 'environment' | 'secretNames'>,
  metricsNamespace: string,
  sharedSecrets: Readonly<Partial<Record<EnvironmentName, SecretValue>>> = {},
): Record<string, string> {
  parseEnvironment(environment);
  const problem = nodeEnvProblem(nodeEnv);
  if (problem) throw new Error(`${problem}. Set nodeEnv in infra/config.ts`);
  const settings: Readonly<Record<string, string>> = environment;
  const given: Record<string, string> = { NODE_ENV: nodeEnv, METRICS_NAMESPACE: metricsNamespace };
  for (const [name, key] of Object.entries(sharedSecrets)) given[name] = key.unsafeUnwrap();
  const named = [route.environment, route.secrets, route.requestSecrets?.flat()].flatMap(
    (names) => names ?? [],
  );
  for (const name of [...pipelineEnvironment, ...named]) {
    if (name in given) continue;
    const secretName = secretNames[name];
    const value = secretName ? SecretValue.secretsManager(secretName).unsafeUnwrap() : settings[name];
    if (value !== undefined) given[name] = value;
  }
  const missing = route.secrets?.find((name) => !(name in given));
  if (missing) {
    throw new Error(
      `Route ${route.name} needs the secret ${missing}: name its Secrets Manager secret in secretNames of infra/config.ts`,
    );
  }
  return given;
}
