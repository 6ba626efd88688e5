import { Duration, type RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

const PREFIX = 'registry/';

/** Where the daily registry is published and where running functions look for it. */
export class RegistryBucket extends Bucket {
  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // A new index of 7 MB comes every day; one that old is in use nowhere.
      lifecycleRules: [{ prefix: `${PREFIX}coins-`, expiration: Duration.days(30) }],
      removalPolicy,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'The list of coins is public knowledge, and only our own roles can read it: nobody would read access logs.',
    });
  }

  /** May read what is published, and nothing else. */
  grantRegistryRead(reader: LambdaFunction): void {
    this.#allow(reader, ['s3:GetObject']);
  }

  /** May publish, and read what was published before. */
  grantRegistryPublish(publisher: LambdaFunction): void {
    this.#allow(publisher, ['s3:GetObject', 's3:PutObject']);
  }

  #allow(grantee: LambdaFunction, actions: string[]): void {
    Grant.addToPrincipal({ grantee, actions, resourceArns: [this.arnForObjects(`${PREFIX}*`)] });
    const bucket = Stack.of(this).getLogicalId(this.node.defaultChild as CfnBucket); // a Bucket's default child
    Validations.of(grantee.role ?? grantee).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${PREFIX}*]`,
      reason: 'Every index has its version in its name, so only their common prefix is known.',
    });
  }
}
