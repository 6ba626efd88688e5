import { Aws, type RemovalPolicy, SecretValue } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

interface SharedSecretProps {
  readonly description: string;
  readonly removalPolicy: RemovalPolicy;
  /** The reason why it is not changed by a timer. */
  readonly unrotatedBecause: string;
}

/** A secret that functions and their callers share: generated at the first deployment, known to nobody before. */
export class SharedSecret extends Secret {
  /** The shell command that prints it, for those who may read it. */
  readonly readCommand: string;
  /** The shell command that makes a new one and keeps the old one as the previous; the runbook says when. */
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
