import { describe, expect, test } from 'vitest';
import type { StageConfig } from '../../infra/config.ts';
import { problemsOf } from './resource-schema.ts';
import { configured, edgeConfigOf, pageTemplateOf, templateOf } from './synthesized.ts';

const variants: readonly [stage: string, about: string, changes: Partial<StageConfig>][] = [
  ['dev', 'as it ships', { secretNames: {} }],
  ['hobby', 'as it ships', { secretNames: {} }],
  ['hobby', 'with a distribution', { edge: edgeConfigOf('dev') }],
  ['local', 'with every route', {}],
  ['prod', 'with every route', {}],
  ['prod', 'with every setting', configured],
  [
    'prod',
    'with nothing that can be left out',
    {
      canary: false,
      reserveConcurrency: false,
      alarmEmails: [],
      corsOrigins: [],
      edge: { ...edgeConfigOf('prod'), firewall: false },
    },
  ],
];

describe('the schemas of CloudFormation find nothing wrong with', () => {
  test.each(variants)('%s %s', (stage, _, changes) => {
    expect(problemsOf(templateOf(stage, changes).toJSON())).toEqual([]);
    expect(problemsOf(pageTemplateOf(stage, changes).toJSON())).toEqual([]);
  });
});

const logGroup = (Properties: Record<string, unknown>) => ({
  Resources: { Logs: { Type: 'AWS::Logs::LogGroup', Properties } },
});
const firewall = (changes: Record<string, unknown>) => ({
  Resources: {
    Firewall: {
      Type: 'AWS::WAFv2::WebACL',
      Properties: {
        Scope: 'CLOUDFRONT',
        DefaultAction: { Allow: {} },
        VisibilityConfig: { CloudWatchMetricsEnabled: true, MetricName: 'a', SampledRequestsEnabled: false },
        ...changes,
      },
    },
  },
});

describe('the schemas of CloudFormation', () => {
  test.each([
    ['a log group', logGroup({ RetentionInDays: 7, Tags: [{ Key: 'stage', Value: 'dev' }] })],
    ['a firewall', firewall({})],
    ['what only the deployment knows', logGroup({ RetentionInDays: { Ref: 'Days' } })],
    [
      'what a resource of one’s own is told',
      { Resources: { Files: { Type: 'Custom::Files', Properties: { ServiceToken: 'a', Any: 1 } } } },
    ],
  ])('accept %s', (_, template) => {
    expect(problemsOf(template)).toEqual([]);
  });

  test.each([
    [
      'a type that there is not',
      { Resources: { Logs: { Type: 'AWS::Logs::Group' } } },
      'Logs: there is no type AWS::Logs::Group',
    ],
    ['a property that there is not', logGroup({ Retention: 7 }), 'Logs.Retention: there is no such property'],
    [
      'one inside of another',
      firewall({ DefaultAction: { Permit: {} } }),
      'Firewall.DefaultAction.Permit: there is no such property',
    ],
    [
      'one in a list',
      firewall({ Rules: [{ Name: 'a', Order: 0 }] }),
      'Firewall.Rules.0.Order: there is no such property',
    ],
    [
      'a property that is missing',
      { Resources: { Route: { Type: 'AWS::ApiGatewayV2::Route', Properties: { ApiId: 'a' } } } },
      'Route.RouteKey: is required',
    ],
    [
      'one that is missing inside of another',
      firewall({ VisibilityConfig: { CloudWatchMetricsEnabled: true, SampledRequestsEnabled: false } }),
      'Firewall.VisibilityConfig.MetricName: is required',
    ],
    [
      'a value that is none of its list',
      firewall({ Scope: 'EDGE' }),
      'Firewall.Scope: "EDGE" is none of CLOUDFRONT, REGIONAL',
    ],
    ['a number as text', logGroup({ RetentionInDays: '7' }), 'Logs.RetentionInDays: "7" is no integer'],
    ['a half of a day', logGroup({ RetentionInDays: 7.5 }), 'Logs.RetentionInDays: 7.5 is no integer'],
    ['a text for a list', logGroup({ Tags: 'stage' }), 'Logs.Tags: is not a list'],
    [
      'a text for an object',
      firewall({ DefaultAction: 'allow' }),
      'Firewall.DefaultAction: is not an object',
    ],
    [
      'a resource of one’s own with nobody behind it',
      { Resources: { Files: { Type: 'Custom::Files', Properties: { Any: 1 } } } },
      'Files.ServiceToken: is required',
    ],
    ['an empty list', firewall({ Rules: [] }), 'Firewall.Rules: is an empty list'],
    [
      'an empty list in a policy',
      {
        Resources: {
          Policy: {
            Type: 'AWS::IAM::Policy',
            Properties: { PolicyName: 'a', PolicyDocument: { Statement: [{ Effect: 'Allow', Action: [] }] } },
          },
        },
      },
      'Policy.PolicyDocument.Statement.0.Action: is an empty list',
    ],
  ])('refuse %s', (_, template, problem) => {
    expect(problemsOf(template)).toContain(problem);
  });
});
