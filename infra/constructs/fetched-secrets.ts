import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { RouteDefinition } from '../../shared/http/route.ts';
import type { StageConfig } from '../config.ts';

/**
 * The secrets that a function fetches when it needs them: those that its route declares and the stage names, as names or
 * ARNs of Secrets Manager by variable.
 */
export function fetchedSecrets(
  { secrets = [], requestSecrets = [] }: Pick<RouteDefinition, 'secrets' | 'requestSecrets'>,
  { secretNames }: Pick<StageConfig, 'secretNames'>,
): Map<string, string> {
  const declared = new Set([...secrets, ...requestSecrets.flat()]);
  return new Map(Object.entries(secretNames).filter(([variable]) => declared.has(variable)));
}

/** Lets a function read those secrets, and no others. One under a key of one's own asks for that key's permission too. */
export function grantFetching(fn: LambdaFunction, secrets: ReadonlyMap<string, string>): void {
  if (secrets.size === 0) return;
  const resources = [...new Set(secrets.values())].map((name) => arnOf(fn, name));
  fn.addToRolePolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }));
}

/** Secrets Manager ends the ARN of a named secret with a hyphen and six characters that nobody knows beforehand. */
function arnOf(fn: LambdaFunction, name: string): string {
  if (name.startsWith('arn:')) return name;
  return Stack.of(fn).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
