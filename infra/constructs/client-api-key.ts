import { Aws, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** The key that callers send as `x-api-key`: generated at the first deployment, and known to nobody before. */
export class ClientApiKey extends Secret {
  /** The shell command that prints the key, for those who may read the secret. */
  readonly readCommand: string;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id, {
      description: 'Key of the client application, sent as x-api-key',
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy,
    });
    this.readCommand = `aws secretsmanager get-secret-value --region ${Aws.REGION} --secret-id ${this.secretArn} --query SecretString --output text`;

    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'A rotation by timer would lock out every client at once: the key is changed together with the client application, followed by a deployment.',
    });
  }
}
