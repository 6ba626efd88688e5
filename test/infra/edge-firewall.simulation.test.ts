import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import type { EdgeConfig } from '../../infra/config.ts';
import type { Route } from '../../shared/http/route.ts';
import { edgeConfigOf, edgeStages, pageTemplateOf, templateOf } from './synthesized.ts';

function webAclOf(page: Template): unknown {
  const [distribution] = Object.values(page.findResources('AWS::CloudFront::Distribution'));
  return distribution?.Properties.DistributionConfig.WebACLId;
}

const aclsOf = (page: Template) =>
  Object.values(page.findResources('AWS::WAFv2::WebACL')).map(({ Properties }) => Properties);

const withFirewall = (firewall: EdgeConfig['firewall']) =>
  pageTemplateOf('prod', { edge: { ...edgeConfigOf('prod'), firewall } });

const template = pageTemplateOf('prod');

interface Managed {
  readonly RuleActionOverrides?: readonly { readonly Name: string }[];
}

function managedStatements(): Managed[] {
  const rules: { Statement: { ManagedRuleGroupStatement?: Managed } }[] = aclsOf(template)[0]?.Rules ?? [];
  return rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement ?? []);
}

/** docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html */
const sizeRules = {
  SizeRestrictions_URIPATH: ['path', 1_024],
  SizeRestrictions_QUERYSTRING: ['query', 2_048],
  SizeRestrictions_BODY: ['body', 8_192],
} as const;

/** Bytes of what a route's contract allows at most; texts are of letters that take three bytes, encoded nine. */
function longestRequest({ path, method, parameters, maxBodyBytes, pathParameters, query }: Route) {
  const lengths: Record<string, { maxLength?: number }> = {
    ...pathParameters?.properties,
    ...query?.properties,
  };
  const bytesIn = (place: 'path' | 'query') =>
    parameters
      .filter((parameter) => parameter.in === place)
      .reduce((sum, { name }) => sum + name.length + 2 + 9 * (lengths[name]?.maxLength ?? 0), 0);
  return {
    path: path.length + bytesIn('path'),
    query: bytesIn('query'),
    body: method === 'POST' ? maxBodyBytes : 0,
  };
}

describe('the firewall', () => {
  test.each(edgeStages)('stands before stage %s only if that is configured', (stage) => {
    const page = pageTemplateOf(stage);
    const { firewall } = edgeConfigOf(stage);

    expect(firewall !== false).toBe(stage === 'prod');
    page.resourceCountIs('AWS::WAFv2::WebACL', firewall ? 1 : 0);
    if (firewall) expect(webAclOf(page)).toEqual({ 'Fn::GetAtt': ['Firewall', 'Arn'] });
    else expect(webAclOf(page)).toBeUndefined();
  });

  const [acl] = Object.values(template.findResources('AWS::WAFv2::WebACL'));

  test('answers a flood from one address like the API’s own limit does', () => {
    const [flood] = acl?.Properties.Rules ?? [];
    const response = flood.Action.Block.CustomResponse;

    expect(flood.Statement).toEqual({ RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2_000 } });
    expect(response).toMatchObject({
      ResponseCode: 429,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '300' }],
    });
    expect(acl?.Properties.CustomResponseBodies[response.CustomResponseBodyKey]).toEqual({
      ContentType: 'APPLICATION_JSON',
      Content: '{"success":false,"error":"Rate limit exceeded: this client\'s, at the firewall"}',
    });
  });

  test('lets one address ask as often as the stage says', () => {
    const [generous] = aclsOf(withFirewall({ requestsPerFiveMinutes: 30_000 }));

    expect(generous?.Rules[0].Statement.RateBasedStatement.Limit).toBe(30_000);
  });

  test('has AWS’s own rules, and leaves to the routes what they say themselves', () => {
    const managed: Record<string, unknown>[] = acl?.Properties.Rules.slice(1).map(
      (rule: { Statement: { ManagedRuleGroupStatement: unknown } }) =>
        rule.Statement.ManagedRuleGroupStatement,
    );

    expect(managed.map(({ VendorName, Name }) => `${VendorName} ${Name}`)).toEqual([
      'AWS AWSManagedRulesAmazonIpReputationList',
      'AWS AWSManagedRulesKnownBadInputsRuleSet',
      'AWS AWSManagedRulesCommonRuleSet',
    ]);
    for (const statement of managed.slice(0, -1)) expect(statement).not.toHaveProperty('RuleActionOverrides');
    expect(managed.at(-1)?.RuleActionOverrides).toEqual(
      [
        'NoUserAgent_HEADER',
        'SizeRestrictions_BODY',
        'SizeRestrictions_QUERYSTRING',
        'SizeRestrictions_URIPATH',
      ].map((Name) => ({ Name, ActionToUse: { Count: {} } })),
    );
  });

  test.each(routes.filter(({ path }) => path !== '$default'))(
    'refuses no request for its size that the contract of $name allows',
    (route) => {
      const longest = longestRequest(route);
      const counted = managedStatements().flatMap(({ RuleActionOverrides = [] }) =>
        RuleActionOverrides.map(({ Name }) => Name),
      );
      const refusing = Object.entries(sizeRules)
        .filter(([name, [part, bytes]]) => !counted.includes(name) && longest[part] > bytes)
        .map(([name]) => name);

      expect(refusing).toEqual([]);
    },
  );

  test('keeps no samples of requests, which would hold addresses and keys', () => {
    for (const { VisibilityConfig } of [acl?.Properties, ...(acl?.Properties.Rules ?? [])])
      expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
  });

  test('writes no log, which would hold addresses', () => {
    template.resourceCountIs('AWS::WAFv2::LoggingConfiguration', 0);
  });

  test('in another region than CloudFront’s is an error that names both ways out', () => {
    expect(() => templateOf('prod', { region: 'eu-central-1' })).toThrow(
      "CloudFront takes a firewall from us-east-1 only: set region: 'us-east-1' in infra/config.ts, or firewall: false",
    );
  });
});
