import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Stack, Token } from 'aws-cdk-lib';
import {
  HeadersReferrerPolicy,
  type IDistribution,
  ResponseHeadersPolicy,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { cacheControl, pageHeaders } from '../../shared/http/page.ts';
import type { StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';

interface PageFilesProps extends Pick<StageConfig, 'logRetention' | 'removalPolicy'> {
  readonly bucket: Bucket;
  readonly distribution: IDistribution;
  readonly folder: string;
}

/**
 * Uploads the page: first the files with a hash in their name, then those that refer to them, so that no visitor gets a page whose
 * script is missing. Files of earlier pages stay for visitors who have them open.
 */
export class PageFiles extends Construct {
  constructor(scope: Construct, id: string, props: PageFilesProps) {
    super(scope, id);
    const { bucket, distribution, folder, logRetention: retention, removalPolicy } = props;
    const common = {
      destinationBucket: bucket,
      prune: false,
      logGroup: new LogGroup(this, 'Logs', { retention, removalPolicy }),
    };
    const assets = new BucketDeployment(this, 'Assets', {
      ...common,
      sources: [Source.asset(join(folder, 'assets'))],
      destinationKeyPrefix: 'assets',
      cacheControl: [CacheControl.fromString(cacheControl.assets)],
    });
    const page = new BucketDeployment(this, 'Page', {
      ...common,
      sources: [Source.asset(folder, { exclude: ['assets'] })],
      cacheControl: [CacheControl.fromString(cacheControl.page)],
      distribution,
      distributionPaths: cachedPaths(folder),
    });
    page.node.addDependency(assets);
    acknowledgeUploader(page, bucket);
  }
}

/** The page's own paths: the API's responses have lifetimes of their own, and `assets` never change under a name. */
function cachedPaths(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name !== 'assets');
  return ['/', ...files.map((name) => `/${name}`)];
}

/** The uploading function is the CDK's own, with its runtime and permissions. */
function acknowledgeUploader({ handlerRole }: BucketDeployment, bucket: Bucket): void {
  const uploader = handlerRole.node.scope;
  if (!uploader) return;
  const { partition, account, region, synthesizer } = Stack.of(bucket);
  const bucketId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket); // a Bucket's default child
  acknowledge(uploader, {
    L1: 'The CDK chooses the runtime of its function and moves it on with its versions.',
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]':
      'The CDK lets its function write its log by the managed policy made for that.',
    'IAM5[Resource::*]':
      'A cache is invalidated with actions that know no resource before the invalidation exists.',
    [`IAM5[Resource::arn:${shown(partition, 'Partition')}:s3:::cdk-${synthesizer.bootstrapQualifier}-assets-${shown(account, 'AccountId')}-${shown(region, 'Region')}/*]`]:
      'The files come from the bucket to which every deployment uploads its assets.',
    [`IAM5[Resource::<${bucketId}.Arn>/*]`]:
      'It writes every file of the page, into the bucket that holds nothing else.',
    ...Object.fromEntries(
      ['GetBucket', 'GetObject', 'List', 'Abort', 'DeleteObject'].map((action) => [
        `IAM5[Action::s3:${action}*]`,
        'The grants of the CDK for reading and writing a bucket name families of actions, on these two buckets alone.',
      ]),
    ),
  });
}

/** A value in the form of cdk-nag's findings: unresolved ones by their name. */
function shown(value: string, name: string): string {
  return Token.isUnresolved(value) ? `<AWS::${name}>` : value;
}

const openerPolicy = 'cross-origin-opener-policy';

/** Security headers of all responses, which replace those of the origin. */
export function securityHeaders(contentSecurityPolicy: string): ResponseSecurityHeadersBehavior {
  return {
    contentSecurityPolicy: { contentSecurityPolicy, override: true },
    contentTypeOptions: { override: true },
    // The address of a spreadsheet's request may contain a key.
    referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
    strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
  };
}

/** The page's response headers: those of the local service, and strict HTTPS. */
export function pageHeadersPolicy(scope: Construct): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, 'Headers', {
    securityHeadersBehavior: securityHeaders(pageHeaders['content-security-policy']),
    customHeadersBehavior: {
      customHeaders: [{ header: openerPolicy, value: pageHeaders[openerPolicy], override: true }],
    },
  });
}
