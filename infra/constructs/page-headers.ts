import { Duration } from 'aws-cdk-lib';
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { pageHeaders } from '../../shared/http/page.ts';

const openerPolicy = 'cross-origin-opener-policy';

/** The response headers of the page: those that the local service sends too, and HTTPS for good. */
export class PageHeaders extends ResponseHeadersPolicy {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: pageHeaders['content-security-policy'],
          override: true,
        },
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
      customHeadersBehavior: {
        customHeaders: [{ header: openerPolicy, value: pageHeaders[openerPolicy], override: true }],
      },
    });
  }
}
