import { Aws, SecretValue } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { EdgeConfig, StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

interface SharedSecretProps extends Pick<StageConfig, 'removalPolicy'> {
  readonly description: string;
  /** The reason why it is not changed by a timer. */
  readonly unrotatedBecause: string;
}

/** A secret that functions and their callers share: generated at the first deployment, known to nobody before. */
export class SharedSecret extends Secret {
  /** The shell command that prints it, for those who may read it. */
  readonly readCommand: string;
  /** The shell command that makes a new one and keeps the old one as the previous; docs/operations.md says when. */
  readonly rotateCommand: string;
  /** The value before the current one, which Secrets Manager itself keeps under this label. */
  readonly previousValue: SecretValue;

  constructor(scope: Construct, id: string, props: SharedSecretProps) {
    const { description, removalPolicy, unrotatedBecause } = props;
    super(scope, id, {
      description,
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
    });
    const secret = `--region ${Aws.REGION} --secret-id ${this.secretArn}`;
    const newValue =
      'aws secretsmanager get-random-password --password-length 40 --exclude-punctuation --query RandomPassword --output text';
    this.readCommand = `aws secretsmanager get-secret-value ${secret} --query SecretString --output text`;
    this.rotateCommand = `aws secretsmanager put-secret-value ${secret} --secret-string "$(${newValue})"`;
    this.previousValue = SecretValue.secretsManager(this.secretArn, { versionStage: 'AWSPREVIOUS' });
    acknowledge(this, { SMG4: unrotatedBecause });
  }
}

/**
 * The secret that the distribution shows the API, which answers nobody else. With `originRotation` there are two, of which
 * the API accepts both: while one is shown the other can be changed, without an outage, and a deployment then shows that one.
 */
export class OriginSecrets extends Construct {
  readonly shown: SecretValue;
  /** All of them, by the names of the functions' environment. */
  readonly environment: Readonly<Partial<Record<'ORIGIN_SECRET' | 'ORIGIN_SECRET_ALTERNATE', SecretValue>>>;
  /** The shell command that makes a new one of the secret that is not shown; undefined: there is none. */
  readonly rotateCommand: string | undefined;

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
          'CloudFormation reads it when distribution and functions are deployed, so a timer would cut the one off from the other: docs/operations.md says how it is changed.',
      });
    const shown = secretOf(edge.originSecret);
    const alternate = edge.originRotation
      ? secretOf(edge.originSecret === 'blue' ? 'green' : 'blue')
      : undefined;
    this.shown = shown.secretValue;
    this.environment = {
      ORIGIN_SECRET: shown.secretValue,
      ...(alternate && { ORIGIN_SECRET_ALTERNATE: alternate.secretValue }),
    };
    this.rotateCommand = alternate?.rotateCommand;
  }
}
