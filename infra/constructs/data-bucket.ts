import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { objectNames, SOURCES_PREFIX } from '../../shared/marketdata/sources/stored.ts';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import type { Published } from '../../shared/platform/job.ts';
import type { HistoryConfig, StageConfig } from '../config.ts';
import { acknowledge } from './acknowledge.ts';

/** What an object of a coin's hours is of, at most. */
export const DAYS_OF_A_MONTH = 31;

/** The bucket in which jobs publish the daily registry, the ticker snapshot and our own history for functions. */
export class DataBucket extends Bucket {
  constructor(
    scope: Construct,
    id: string,
    { removalPolicy, history }: Pick<StageConfig, 'removalPolicy' | 'history'>,
  ) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [
        // A new index of 7 MB comes every day; one that old is in use nowhere.
        { prefix: 'registry/coins-', expiration: Duration.days(30) },
        // A new map of some hundred KB comes every ten minutes. Without one for so long, it is found anew in three runs.
        { prefix: `${SOURCES_PREFIX}${objectNames.maps}`, expiration: Duration.days(7) },
        ...historyRules(history),
      ],
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
        'What is published of one kind has names of its own: an index its version, an object of the history its day or coin.',
    });
  }
}

/** What has no rule stays: a coin's days, and the notes of the jobs. Throws if a day would be gone too early. */
function historyRules({ sampleDays, hourlyDays }: HistoryConfig): LifecycleRule[] {
  if (!Number.isInteger(sampleDays) || sampleDays < 2)
    throw new Error(
      `history.sampleDays is ${sampleDays}: it must be an integer from 2, because a day is rolled up when it is over`,
    );
  if (!Number.isInteger(hourlyDays) || hourlyDays < 1)
    throw new Error(`history.hourlyDays is ${hourlyDays}: it must be an integer from 1`);
  const expiring = (kind: string, days: number): LifecycleRule => ({
    prefix: `${HISTORY_PREFIX}${kind}/`,
    expiration: Duration.days(days),
  });
  return [
    expiring('samples', sampleDays),
    expiring('hours', sampleDays),
    expiring('exact', sampleDays),
    // A month's object goes as a whole: none of its hours before its time.
    expiring('hourly', hourlyDays + DAYS_OF_A_MONTH),
  ];
}
