import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { pageTemplateOf, templateOf } from './synthesized.ts';

function webAclOf(page: Template): unknown {
  const [distribution] = Object.values(page.findResources('AWS::CloudFront::Distribution'));
  return distribution?.Properties.DistributionConfig.WebACLId;
}

const template = pageTemplateOf('prod');

describe('the firewall', () => {
  test.each(stageNames)('stands before stage %s only if that is configured', (stage) => {
    const page = pageTemplateOf(stage);
    const { firewall } = stageConfig(stage).edge;

    expect(firewall).toBe(stage === 'prod');
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
    expect(managed.at(-1)?.RuleActionOverrides).toEqual(
      ['NoUserAgent_HEADER', 'SizeRestrictions_BODY'].map((Name) => ({ Name, ActionToUse: { Count: {} } })),
    );
  });

  test('keeps no samples of requests, which would hold addresses and keys', () => {
    for (const { VisibilityConfig } of [acl?.Properties, ...(acl?.Properties.Rules ?? [])])
      expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
  });

  test('in another region than CloudFront’s is an error that names both ways out', () => {
    expect(() => templateOf('prod', { region: 'eu-central-1' })).toThrow(
      "CloudFront takes a firewall from us-east-1 only: set region: 'us-east-1' in infra/config.ts, or firewall: false",
    );
  });
});
