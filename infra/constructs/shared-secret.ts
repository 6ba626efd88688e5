import { Aws, type RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { EnvironmentName } from '../../shared/environment.ts';

export interface SharedSecretProps {
  readonly description: string;
  /** The variable by which functions know it; the one before it is `<variable>_PREVIOUS`. */
  readonly variable: 'CLIENT_API_KEY' | 'ORIGIN_SECRET';
  readonly removalPolicy: RemovalPolicy;
  /** While it is being changed: the functions take the one before it as well. */
  readonly acceptPrevious: boolean;
  /** Why it is not changed by a timer. */
  readonly unrotatedBecause: string;
}

/** What the functions and whoever calls them both know: generated at the first deployment, known to nobody before. */
export class SharedSecret extends Secret {
  /** The shell command that prints it, for those who may read it. */
  readonly readCommand: string;
  /** The shell command that makes a new one and keeps the old one as the previous; the runbook says when. */
  readonly rotateCommand: string;
  /** It and, while that is accepted, the one before, by the names of the functions' environment. */
  readonly environment: Readonly<Partial<Record<EnvironmentName, SecretValue>>>;

  constructor(scope: Construct, id: string, props: SharedSecretProps) {
    const { description, variable, removalPolicy, acceptPrevious, unrotatedBecause } = props;
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
    this.environment = {
      [variable]: this.secretValue,
      // Secrets Manager itself keeps the value before the current one, under this label.
      ...(acceptPrevious && {
        [`${variable}_PREVIOUS`]: SecretValue.secretsManager(this.secretArn, {
          versionStage: 'AWSPREVIOUS',
        }),
      }),
    };

    Validations.of(this).acknowledge({ id: 'AwsSolutions::AwsSolutions-SMG4', reason: unrotatedBecause });
  }
}
