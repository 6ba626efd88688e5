import { Names, Stack } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';

/** The only region from which CloudFront takes a firewall. */
const REGION = 'us-east-1';
/** Of one address in five minutes, to all routes and the page together; a client's own limit is 100 a minute and route. */
const REQUESTS_PER_FIVE_MINUTES = 2_000;

/** AWS's own rules, which cost nothing beyond their place in the list. */
const managedRules: readonly { readonly name: string; readonly counted?: readonly string[] }[] = [
  { name: 'AWSManagedRulesAmazonIpReputationList' },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet' },
  // Programs need not say what they are, and each route says itself how large a body it takes.
  { name: 'AWSManagedRulesCommonRuleSet', counted: ['NoUserAgent_HEADER', 'SizeRestrictions_BODY'] },
];

/** The same text as for a client over the limit of one route. */
const limited = {
  key: 'RateLimited',
  text: "Rate limit exceeded: this client's, at the firewall",
  retryAfterSeconds: 300,
};

/** Keeps floods and known attacks away from the distribution. Throws if the stack is in another region. */
export class EdgeFirewall extends CfnWebACL {
  constructor(scope: Construct, id: string) {
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
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: REQUESTS_PER_FIVE_MINUTES } },
          visibilityConfig: visibility('TooManyRequests'),
        },
        ...managedRules.map(({ name, counted = [] }, index) => ({
          name,
          priority: index + 1,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
          visibilityConfig: visibility(name),
        })),
      ],
    });
  }
}
