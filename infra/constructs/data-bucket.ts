import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, Grant, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import { stores } from '../../shared/marketdata/stores.ts';
import { type Job, type Published, publishedKinds } from '../../shared/platform/job.ts';
import { messageOf } from '../../shared/platform/message-of.ts';
import type { CopyConfig, StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

type DataBucketProps = Pick<StageConfig, 'removalPolicy' | 'versionDays' | 'dataBucket' | 'copyTo'>;

/** The objects of single coins, which routes put when they fetch data. */
const COINS = [`${HISTORY_PREFIX}coins.*`, `${HISTORY_PREFIX}fetched.*`] as const;

type Uses = Pick<Job, 'publishes' | 'reads'> & { readonly putsCoins?: boolean };

/** The bucket in which jobs publish the registry, the ticker snapshot and the history. */
export class DataBucket extends Construct {
  readonly #bucket: s3.IBucket;

  constructor(scope: Construct, id: string, props: DataBucketProps) {
    super(scope, id);
    const { dataBucket, copyTo } = props;
    if (dataBucket !== undefined && copyTo)
      throw new Error(
        'copyTo of infra/config.ts is for a bucket that the stack makes: one that it takes over has its own',
      );
    this.#bucket = dataBucket === undefined ? this.#make(props) : this.#takeOver(dataBucket);
    if (copyTo)
      acknowledge(this.#bucket, {
        [`IAM5[Resource::${this.#nameInFindings()}/*]`]:
          'The role of S3 that copies objects reads them, and no other bucket.',
        [`IAM5[Resource::arn:${this.#partition()}:s3:::${copyTo.bucketName}/*]`]:
          'The role of S3 that copies objects writes them there, under their own names.',
      });
  }

  get bucketName(): string {
    return this.#bucket.bucketName;
  }

  #make({ removalPolicy, versionDays, copyTo }: DataBucketProps): s3.IBucket {
    const bucket = new s3.Bucket(this, 'Bucket', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      versioned: true,
      lifecycleRules: [...expirationRules, ...publishedKinds.map((kind) => versionRule(kind, versionDays))],
      replicationRules: copyTo && [this.#copies(copyTo)],
      removalPolicy,
      // Only an empty bucket can be deleted.
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    acknowledge(bucket, {
      S1: 'Coins and their prices are public knowledge, and only our own roles can read them here: access logs would have no reader.',
    });
    return bucket;
  }

  /** Deletions are not copied, because a copy protects against them. */
  #copies({ bucketName, account, region }: CopyConfig): s3.ReplicationRule {
    const destination = s3.Bucket.fromBucketAttributes(this, 'Copy', { bucketName, account, region });
    return {
      destination,
      id: 'copy',
      filter: { prefix: HISTORY_PREFIX },
      deleteMarkerReplication: false,
      ...(account !== undefined && { accessControlTransition: true }),
    };
  }

  /** A bucket left by an earlier stack still has its versions and lifetimes, but its policy was deleted with that stack. */
  #takeOver(name: string): s3.IBucket {
    assertBucketName(name);
    const bucket = s3.Bucket.fromBucketName(this, 'Bucket', name);
    new s3.BucketPolicy(this, 'Policy', { bucket }).document.addStatements(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:*'],
        resources: [bucket.bucketArn, bucket.arnForObjects('*')],
        conditions: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    return bucket;
  }

  /** The variables that give a function the bucket's name. */
  environmentOf(...kinds: readonly Published[]): Record<string, string> {
    return Object.fromEntries(kinds.map((kind) => [`${kind.toUpperCase()}_BUCKET`, this.#bucket.bucketName]));
  }

  /**
   * Grants a function the access that its route or job declares. Whoever may read a kind may list it too: otherwise S3 returns
   * AccessDenied for a missing name, as for a missing permission (S3 API reference, GetObject). It checks the name against
   * `s3:prefix` as if it were listed.
   */
  grant(fn: LambdaFunction, { publishes = [], reads = [], putsCoins }: Uses): void {
    for (const kind of publishes) this.#allow(fn, ['s3:GetObject', 's3:PutObject'], `${kind}/*`);
    for (const kind of reads) this.#allow(fn, ['s3:GetObject'], `${kind}/*`);
    const read = [...publishes, ...reads];
    if (read.length > 0) {
      Grant.addToPrincipal({
        grantee: fn,
        actions: ['s3:ListBucket'],
        resourceArns: [this.#bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': read.map((kind) => `${kind}/*`) } },
      });
    }
    if (putsCoins) for (const names of COINS) this.#allow(fn, ['s3:PutObject'], names);
  }

  #allow(grantee: LambdaFunction, actions: string[], names: string): void {
    Grant.addToPrincipal({ grantee, actions, resourceArns: [this.#bucket.arnForObjects(names)] });
    acknowledge(grantee.role ?? grantee, {
      [`IAM5[Resource::${this.#nameInFindings()}/${names}]`]:
        'Objects of one kind have names of their own: an index its version, an object of the history its day or coin.',
    });
  }

  /** Its ARN in the form of cdk-nag's findings. */
  #nameInFindings(): string {
    const { defaultChild } = this.#bucket.node;
    const stack = Stack.of(this);
    if (defaultChild instanceof s3.CfnBucket) return `<${stack.getLogicalId(defaultChild)}.Arn>`;
    return `arn:${this.#partition()}:s3:::${this.#bucket.bucketName}`;
  }

  #partition(): string {
    const { partition } = Stack.of(this);
    return Token.isUnresolved(partition) ? '<AWS::Partition>' : partition;
  }
}

function assertBucketName(name: string): void {
  try {
    // An empty array counts as none.
    s3.Bucket.validateBucketName(name || '-');
  } catch (error) {
    throw new Error(
      `dataBucket of infra/config.ts must be the name of an existing bucket. ${messageOf(error)}`,
    );
  }
}

/** Old versions of objects that are replaced every few minutes are kept as briefly as S3 can, because nobody restores them. */
function versionRule(kind: Published, versionDays: number): s3.LifecycleRule {
  return {
    prefix: `${kind}/`,
    noncurrentVersionExpiration: Duration.days(kind === 'history' ? versionDays : 1),
    expiredObjectDeleteMarker: true,
  };
}

/** Rules for objects of every format version: `samples/<day>/<slot>` is stored as `samples.v1/2026-11-20/…`. */
const expirationRules: readonly s3.LifecycleRule[] = stores.flatMap(({ kind, name, expiresAfterDays }) => {
  if (expiresAfterDays === undefined) return [];
  const prefix = `${kind}/${name.replace(/\/.*/, '.').replace(/<.*/, '')}`;
  return [{ prefix, expiration: Duration.days(expiresAfterDays) }];
});
