import type { SecretValue } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { EdgeConfig, StageConfig } from '../config.ts';
import { SharedSecret } from './shared-secret.ts';

/**
 * The secrets that the distribution shows the API, which answers nobody else. The API accepts two: while one is
 * shown the other can be changed, without an outage, and a deployment then shows that one.
 */
export class OriginSecrets extends Construct {
  readonly shown: SecretValue;
  /** Both, by the names of the functions' environment. */
  readonly environment: Readonly<Record<'ORIGIN_SECRET' | 'ORIGIN_SECRET_ALTERNATE', SecretValue>>;
  /** The shell command that makes a new one of the secret that is not shown. */
  readonly rotateCommand: string;

  constructor(
    scope: Construct,
    id: string,
    edge: EdgeConfig,
    { removalPolicy }: Pick<StageConfig, 'removalPolicy'>,
  ) {
    super(scope, id);
    const secretOf = (color: EdgeConfig['originSecret']) =>
      new SharedSecret(this, color, {
        description: `What the distribution shows the API while edge.originSecret is ${color}`,
        removalPolicy,
        unrotatedBecause:
          'CloudFormation reads it when distribution and functions are deployed, so a timer would cut the one off from the other: docs/runbook.md says how it is changed.',
      });
    const secrets = { blue: secretOf('blue'), green: secretOf('green') };
    const shown = secrets[edge.originSecret];
    const alternate = secrets[edge.originSecret === 'blue' ? 'green' : 'blue'];

    this.shown = shown.secretValue;
    this.environment = { ORIGIN_SECRET: shown.secretValue, ORIGIN_SECRET_ALTERNATE: alternate.secretValue };
    this.rotateCommand = alternate.rotateCommand;
  }
}
