import { Names, Stack } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { FirewallConfig } from '../config.ts';

/** The only region from which CloudFront accepts a firewall. */
const REGION = 'us-east-1';
/** AWS's managed rules, which cost nothing beyond their place in the list. */
const managedRules: readonly { readonly name: string; readonly counted?: readonly string[] }[] = [
  { name: 'AWSManagedRulesAmazonIpReputationList' },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet' },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    // Programs need no user agent. Each route has its own size limits; the rules' 8,192 bytes of a body, 2,048 of a query and 1,024
    // of a path are less, and refused 76 instants, 200 holdings and an id in Chinese.
    counted: [
      'NoUserAgent_HEADER',
      'SizeRestrictions_BODY',
      'SizeRestrictions_QUERYSTRING',
      'SizeRestrictions_URIPATH',
    ],
  },
];

/** The error for an address over the limit, worded like that of a route's limit. */
const limited = {
  key: 'RateLimited',
  text: "Rate limit exceeded: this client's, at the firewall",
  retryAfterSeconds: 300,
};

/** Keeps floods and known attacks away from the distribution. Throws if the stack is in another region. */
export class EdgeFirewall extends CfnWebACL {
  constructor(scope: Construct, id: string, { requestsPerFiveMinutes }: FirewallConfig) {
    const { region } = Stack.of(scope);
    if (region !== REGION) {
      throw new Error(
        `CloudFront takes a firewall from ${REGION} only: set region: '${REGION}' in infra/config.ts, or firewall: false`,
      );
    }
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: false, // samples would hold addresses and keys
      metricName,
    });
    super(scope, id, {
      name: Names.uniqueResourceName(scope, { maxLength: 100 }),
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('Firewall'),
      customResponseBodies: {
        [limited.key]: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify({ success: false, error: limited.text }),
        },
      },
      rules: [
        {
          name: 'TooManyRequests',
          priority: 0,
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: limited.key,
                responseHeaders: [{ name: 'Retry-After', value: String(limited.retryAfterSeconds) }],
              },
            },
          },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes } },
          visibilityConfig: visibility('TooManyRequests'),
        },
        ...managedRules.map(({ name, counted }, index) => ({
          name,
          priority: index + 1,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ruleActionOverrides: counted?.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
          visibilityConfig: visibility(name),
        })),
      ],
    });
  }
}
