import { Aws, type SecretValue } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { EdgeConfig, StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

interface SharedSecretProps extends Pick<StageConfig, 'removalPolicy'> {
  readonly description: string;
  /** Why it is not rotated by a timer. */
  readonly unrotatedBecause: string;
}

/**
 * A secret shared by functions and their callers, generated at the first deployment. Under another id the next deployment creates
 * another one.
 */
export class SharedSecret extends Secret {
  /** The shell command that prints it. */
  readonly readCommand: string;

  constructor(scope: Construct, id: string, props: SharedSecretProps) {
    const { description, removalPolicy, unrotatedBecause } = props;
    super(scope, id, {
      description,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
    });
    this.readCommand = `aws secretsmanager get-secret-value --region ${Aws.REGION} --secret-id ${this.secretArn} --query SecretString --output text`;
    acknowledge(this, { SMG4: unrotatedBecause });
  }
}

/**
 * The secret that the distribution sends to the API, and a second one that the API accepts as well, so that a deployment can change it
 * without an outage.
 */
export class OriginSecrets extends Construct {
  readonly shown: SecretValue;
  /** Both secrets, by the names of the functions' variables. */
  readonly environment: Readonly<Partial<Record<'ORIGIN_SECRET' | 'ORIGIN_SECRET_ALTERNATE', SecretValue>>>;

  constructor(
    scope: Construct,
    id: string,
    { originSecrets: [shown, accepted] }: EdgeConfig,
    { removalPolicy }: Pick<StageConfig, 'removalPolicy'>,
  ) {
    super(scope, id);
    const secretOf = (name: string) =>
      new SharedSecret(this, name, {
        description: 'What the distribution shows the API',
        removalPolicy,
        unrotatedBecause:
          'CloudFormation reads it when distribution and functions are deployed, so a timer would cut the one off from the other: docs/operations.md says how it is changed.',
      }).secretValue;
    this.shown = secretOf(shown);
    this.environment = {
      ORIGIN_SECRET: this.shown,
      ...(accepted !== undefined && { ORIGIN_SECRET_ALTERNATE: secretOf(accepted) }),
    };
  }
}
