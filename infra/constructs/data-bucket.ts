import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Published } from '../../shared/platform/job.ts';
import { acknowledge } from './acknowledge.ts';

/** The bucket in which jobs publish the daily registry, the ticker snapshot and our own history for functions. */
export class DataBucket extends Bucket {
  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // A new index of 7 MB comes every day; one that old is in use nowhere.
      lifecycleRules: [{ prefix: 'registry/coins-', expiration: Duration.days(30) }],
      removalPolicy,
      // A bucket is deleted only if it is empty.
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    acknowledge(this, {
      S1: 'Coins and their prices are public knowledge, and only our own roles can read them here: nobody would read access logs.',
    });
  }

  /** The variables by which a function finds it. */
  environmentOf(...kinds: readonly Published[]): Record<string, string> {
    return Object.fromEntries(kinds.map((kind) => [`${kind.toUpperCase()}_BUCKET`, this.bucketName]));
  }

  /** May read what is published of a kind, and nothing else. */
  grantReading(reader: LambdaFunction, kind: Published): void {
    this.#allow(reader, ['s3:GetObject'], kind);
  }

  /** May be told that an object does not exist: without it that is AccessDenied (S3 API reference, GetObject). */
  grantListing(reader: LambdaFunction): void {
    Grant.addToPrincipal({ grantee: reader, actions: ['s3:ListBucket'], resourceArns: [this.bucketArn] });
  }

  /** May publish a kind, read what was published before, and be told that there is nothing yet. */
  grantPublishing(publisher: LambdaFunction, kind: Published): void {
    this.#allow(publisher, ['s3:GetObject', 's3:PutObject'], kind);
    this.grantListing(publisher);
  }

  #allow(grantee: LambdaFunction, actions: string[], kind: Published): void {
    Grant.addToPrincipal({ grantee, actions, resourceArns: [this.arnForObjects(`${kind}/*`)] });
    const bucket = Stack.of(this).getLogicalId(this.node.defaultChild as CfnBucket); // a Bucket's default child
    acknowledge(grantee.role ?? grantee, {
      [`IAM5[Resource::<${bucket}.Arn>/${kind}/*]`]:
        'What is published of one kind has names of its own: every index has its version in its name.',
    });
  }
}
