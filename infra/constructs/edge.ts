import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, NestedStack, RemovalPolicy, type SecretValue, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, OriginGroup, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../shared/http/middleware/authentication.ts';
import { PAGE_PREFIX } from '../../shared/http/page.ts';
import type { EdgeConfig, StageConfig } from '../config.ts';
import { acknowledge } from '../validation.ts';
import { ApiBehaviors, type CachedRoute } from './edge-api.ts';
import { EdgeFirewall } from './edge-firewall.ts';
import { PageFiles, pageHeadersPolicy } from './page.ts';

interface EdgeProps extends Pick<StageConfig, 'logRetention' | 'removalPolicy'> {
  readonly edge: EdgeConfig;
  readonly api: HttpApi;
  readonly routes: readonly CachedRoute[];
  /** The secret that the distribution sends to the API, which refuses requests without it. */
  readonly originSecret: SecretValue;
  readonly folder: string;
}

/**
 * The web page behind CloudFront, and the API below `/api/*` of the same origin, so that the page needs no CORS and its key goes nowhere
 * else. It is a nested stack, because the CDK's function that uploads files is not part of the running service.
 */
export class Edge extends NestedStack {
  /** Address of the page, with a trailing slash. */
  readonly url: string;
  readonly distributionId: string;
  /** The ARN of the store of clients' keys at the edge. */
  readonly keysArn: string;

  constructor(scope: Construct, id: string, props: EdgeProps) {
    const { api, routes, originSecret, edge, folder, logRetention, removalPolicy } = props;
    if (!existsSync(join(folder, 'index.html')))
      throw new Error(`No web page in ${folder}: run npm run build first`);
    super(scope, id, { description: 'The web page and its address' });

    const bucket = pageBucket(this);
    const apiHost = `${api.apiId}.execute-api.${this.region}.${this.urlSuffix}`;
    const originOptions = {
      customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret.unsafeUnwrap() },
      originShieldRegion: edge.originShieldRegion,
    };
    const apiOrigin = new HttpOrigin(apiHost, originOptions);
    const behaviors = new ApiBehaviors(this, 'Api', apiOrigin, routes);
    const distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: 'Market data: the web page, and the API under /api',
      defaultRootObject: 'index.html',
      // Europe and North America; the whole world costs about twice as much.
      priceClass: cloudfront.PriceClass.PRICE_CLASS_100,
      defaultBehavior: {
        // Files first. S3 returns 403 for a missing file, and the function then serves HTML.
        origin: new OriginGroup({
          primaryOrigin: S3BucketOrigin.withOriginAccessControl(bucket),
          fallbackOrigin: new HttpOrigin(apiHost, { ...originOptions, originPath: PAGE_PREFIX }),
          fallbackStatusCodes: [403, 404],
        }),
        // The function limits requests by the viewer's address, and serves HTML to clients that accept it.
        originRequestPolicy: new cloudfront.OriginRequestPolicy(this, 'PageForwarded', {
          comment: 'What the function behind the files reads',
          headerBehavior: cloudfront.OriginRequestHeaderBehavior.allowList(VIEWER_ADDRESS_HEADER, 'accept'),
        }),
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy: pageHeadersPolicy(this),
      },
      additionalBehaviors: { ...behaviors.all },
      errorResponses: uncachedErrors,
      webAclId: edge.firewall ? new EdgeFirewall(this, 'Firewall', edge.firewall).attrArn : undefined,
      ...domainOf(this, edge),
    });
    acknowledgeDistribution(distribution, edge);
    new PageFiles(this, 'Files', { bucket, distribution, folder, logRetention, removalPolicy });
    const reason = 'This nested stack gets the address of the secret, not its value.';
    Validations.of(this).acknowledge({ id: 'CloudFormation-Validate::W2509', reason });
    this.keysArn = behaviors.keysArn;
    this.distributionId = distribution.distributionId;
    this.url = `https://${edge.domainNames[0] ?? distribution.domainName}/`;
  }
}

/** By default CloudFront caches these errors for ten seconds, whatever their `Cache-Control` says. */
const uncachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(0),
}));

/** The configured domain with its certificate. Throws if one is configured without the other. */
function domainOf(scope: Construct, { domainNames, certificateArn }: EdgeConfig) {
  if (domainNames.length > 0 !== (certificateArn !== undefined)) {
    throw new Error(
      'edge.domainNames and edge.certificateArn of infra/config.ts belong together: a domain needs its certificate (in us-east-1)',
    );
  }
  if (certificateArn === undefined) return {};
  return {
    domainNames: [...domainNames],
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
  };
}

/** The bucket of the page, which is deleted with the stack in every stage: the next deployment uploads the same files again. */
function pageBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.DESTROY,
    autoDeleteObjects: true,
  });
  acknowledge(bucket, {
    S1: 'Only CloudFront reads the files, and they are public: access logs would only be about visitors.',
  });
  return bucket;
}

function acknowledgeDistribution(
  distribution: cloudfront.Distribution,
  { firewall, certificateArn }: EdgeConfig,
): void {
  acknowledge(distribution, {
    CFR1: 'Prices are no secret in any country, so no visitors are excluded by location.',
    CFR3: 'Its log would hold addresses of visitors, which nothing here needs; the API has a log without.',
    ...(!firewall && {
      CFR2: 'The page is a handful of static files, and the API behind it has a key, its own limits and throttling; the firewall costs more than the rest of a stage that is only tried out.',
    }),
    ...(!certificateArn && {
      CFR4: "CloudFront's own certificate comes with its own minimum of TLS; a stage with a domain and a certificate of its own sets TLSv1.2.",
    }),
  });
}
