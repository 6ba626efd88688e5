import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NestedStack, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  OriginRequestPolicy,
  PriceClass,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';
import { PageFiles } from './page-files.ts';
import { PageHeaders } from './page-headers.ts';

export interface WebPageProps extends Pick<StageConfig, 'logRetention' | 'removalPolicy'> {
  readonly api: HttpApi;
  /** Where `npm run build` put the page. */
  readonly folder: string;
}

/**
 * The web page behind CloudFront, and the API under `/api/*` of the same origin, so that the page needs no CORS and
 * the key goes nowhere else. A stack of its own inside the service's: what it takes to upload files (a function of
 * the CDK with its own role) is no part of the service that runs.
 */
export class WebPage extends NestedStack {
  /** Address of the page, with a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { api, folder, logRetention, removalPolicy }: WebPageProps) {
    if (!existsSync(join(folder, 'index.html'))) {
      throw new Error(`No web page in ${folder}: run npm run build first`);
    }
    super(scope, id, { description: 'The web page and its address' });

    const bucket = pageBucket(this, removalPolicy);
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Market data: the web page, and the API under /api',
      defaultRootObject: 'index.html',
      // Europe and North America: the whole world costs about twice as much.
      priceClass: PriceClass.PRICE_CLASS_100,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy: new PageHeaders(this, 'Headers'),
      },
      additionalBehaviors: {
        '/api/*': {
          origin: new HttpOrigin(`${api.apiId}.execute-api.${this.region}.${this.urlSuffix}`),
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          allowedMethods: AllowedMethods.ALLOW_ALL,
          // A shared cache would give one caller's answer to the next without asking for a key.
          cachePolicy: CachePolicy.CACHING_DISABLED,
          originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        },
      },
    });
    acknowledgeDistribution(distribution);
    new PageFiles(this, 'Files', { bucket, distribution, folder, logRetention, removalPolicy });
    this.url = `https://${distribution.domainName}/`;
  }
}

function pageBucket(scope: Construct, removalPolicy: RemovalPolicy): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    removalPolicy,
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions::AwsSolutions-S1',
    reason:
      'CloudFront alone reads the files, and they are public: access logs would tell about visitors only.',
  });
  return bucket;
}

function acknowledgeDistribution(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    {
      id: 'AwsSolutions::AwsSolutions-CFR1',
      reason: 'Prices are no secret in any country: there is nobody to keep out by where they are.',
    },
    {
      id: 'AwsSolutions::AwsSolutions-CFR2',
      reason:
        'The page is a handful of static files, and the API behind it has a key, its own limits and throttling; a web ACL costs more than the rest of the stack.',
    },
    {
      id: 'AwsSolutions::AwsSolutions-CFR3',
      reason:
        'Its log would hold addresses of visitors, which nothing here needs; the API has a log without.',
    },
    {
      id: 'AwsSolutions::AwsSolutions-CFR4',
      reason:
        "CloudFront's own certificate comes with its own minimum of TLS; a stage with a domain and a certificate of its own sets TLSv1.2.",
    },
  );
}
