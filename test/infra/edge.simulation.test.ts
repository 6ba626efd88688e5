/** The distribution before the API and the page, the secret between them, and the firewall. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import type { EdgeConfig } from '../../infra/config.ts';
import { pageHeaders } from '../../shared/http/page.ts';
import type { Route } from '../../shared/http/route.ts';
import {
  assemblyOf,
  configured,
  edgeConfigOf,
  edgeStages,
  endpointsOf,
  pageTemplateOf,
  templateOf,
} from './synthesized.ts';

const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const edgeOf = (changes: Partial<EdgeConfig>) => ({ edge: { ...edgeConfigOf('prod'), ...changes } });
const propertiesOf = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);
const distributionOf = (template: Template) =>
  propertiesOf(template, 'AWS::CloudFront::Distribution')[0]?.DistributionConfig ?? {};

/** The origin behind /api. */
function apiOriginOf(template: Template) {
  const { CacheBehaviors, Origins } = distributionOf(template);
  const { TargetOriginId } = CacheBehaviors.at(-1);
  return Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);
}

const template = pageTemplateOf('prod');
const distribution = distributionOf(template);
type Behavior = Readonly<Record<string, { readonly Ref: string }>> & { readonly PathPattern: string };
const behaviors: readonly Behavior[] = distribution.CacheBehaviors;

/** The first whose pattern matches, as CloudFront chooses. */
const behaviorFor = (path: string) =>
  behaviors.find(({ PathPattern }) => new RegExp(`^${PathPattern.replaceAll('*', '.*')}$`).test(path));

/** The policy of this kind that a behavior refers to. */
function policyOf(kind: 'Cache' | 'OriginRequest' | 'ResponseHeaders', behavior: Behavior | undefined) {
  const { Ref = '' } = behavior?.[`${kind}PolicyId`] ?? {};
  const { Properties = {} } = template.findResources(`AWS::CloudFront::${kind}Policy`)[Ref] ?? {};
  return Properties[`${kind}PolicyConfig`];
}

const securityHeaders = (ContentSecurityPolicy: string) => ({
  ContentSecurityPolicy: { ContentSecurityPolicy, Override: true },
  ContentTypeOptions: { Override: true },
  ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
  StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
});

describe('the distribution before the API', () => {
  const cachedRoutes = routes.filter(
    ({ method, path, adapter }) => method === 'GET' && (adapter || path.startsWith('/api/')),
  );

  test('caches every GET by path, client and all of its query, for as long as Cache-Control says, and no failure', () => {
    for (const { path } of cachedRoutes)
      expect(policyOf('Cache', behaviorFor(path.replace(/\{\w+\+?\}/g, 'anything'))), path).toMatchObject({
        MinTTL: 0,
        DefaultTTL: 0,
        MaxTTL: 86_400,
        ParametersInCacheKeyAndForwardedToOrigin: {
          CookiesConfig: { CookieBehavior: 'none' },
          HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-client-class', 'origin'] },
          QueryStringsConfig: { QueryStringBehavior: 'all' },
        },
      });
    // An account has few.
    template.resourceCountIs('AWS::CloudFront::CachePolicy', 1);
    template.resourceCountIs('AWS::CloudFront::OriginRequestPolicy', 2);
    template.resourceCountIs('AWS::CloudFront::ResponseHeadersPolicy', 2);
    const errors: { ErrorCode: number }[] = distribution.CustomErrorResponses;
    expect(errors.map(({ ErrorCode }) => ErrorCode)).toEqual(
      expect.arrayContaining([400, 403, 404, 405, 500, 502, 503, 504]),
    );
    // No ResponsePagePath: an error page would stand in for the API's own answers.
    for (const error of errors) expect(error).toEqual({ ErrorCode: error.ErrorCode, ErrorCachingMinTTL: 0 });
  });

  test('passes everything else below /api on, uncached, with all its parameters and what the routes read', () => {
    expect(behaviorFor('/api')).toBeUndefined();
    for (const path of ['/api/marketdata/quote', '/api/x/y']) {
      const behavior = behaviorFor(path);
      expect(behavior?.CachePolicyId).toBe(CACHING_DISABLED);
      expect(policyOf('OriginRequest', behavior)).toMatchObject({
        HeadersConfig: {
          Headers: expect.arrayContaining([
            ...['x-client', 'origin', 'content-type', 'Idempotency-Key'],
            ...routes.flatMap(({ requestHeaders = [] }) => requestHeaders),
          ]),
        },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
      });
    }
  });

  test('calls the API over HTTPS with the viewer’s address, runs the function first, and adds only security headers', () => {
    const [first] = behaviors;
    for (const behavior of behaviors) {
      expect(behavior).toMatchObject({
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: expect.arrayContaining(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']),
        FunctionAssociations: [{ EventType: 'viewer-request' }],
      });
      expect(behavior.FunctionAssociations).toEqual(first?.FunctionAssociations);
      const { HeaderBehavior, Headers } = policyOf('OriginRequest', behavior).HeadersConfig;
      expect(HeaderBehavior).toBe('whitelist');
      expect(Headers).toContain('cloudfront-viewer-address');
      expect(Headers).not.toContain('host'); // API Gateway knows its own name only
      expect(policyOf('ResponseHeaders', behavior)).toEqual({
        Name: expect.anything(),
        SecurityHeadersConfig: securityHeaders("default-src 'none'; frame-ancestors 'none'"),
      });
    }
    // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html
    for (const { OriginRequestPolicyConfig } of propertiesOf(
      template,
      'AWS::CloudFront::OriginRequestPolicy',
    ))
      expect(OriginRequestPolicyConfig.HeadersConfig.Headers.length).toBeLessThanOrEqual(10);
  });

  test('has an origin shield and domains with their certificate if they are configured', () => {
    const shown = distributionOf(pageTemplateOf('prod', configured));
    expect(apiOriginOf(pageTemplateOf('prod', configured)).OriginShield).toEqual({
      Enabled: true,
      OriginShieldRegion: 'eu-central-1',
    });
    expect(shown).toMatchObject({
      Aliases: ['prices.example.com', 'www.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/0',
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
    expect(templateOf('prod', configured).toJSON().Outputs.PageUrl.Value).toBe('https://prices.example.com/');

    expect(apiOriginOf(template)).not.toHaveProperty('OriginShield');
    expect(distribution).not.toHaveProperty('Aliases');
    expect(distribution).not.toHaveProperty('ViewerCertificate');
    expect(JSON.stringify(templateOf('prod').toJSON().Outputs.PageUrl.Value)).toContain('DomainName');
    for (const half of [{ domainNames: ['a.example.com'] }, { certificateArn: 'arn:aws:acm:x' }])
      expect(() => templateOf('prod', edgeOf(half))).toThrow(/a domain needs its certificate/);
  });
});

describe('the web page', () => {
  test('is at the address itself, from its bucket, otherwise from the API with what the viewer accepts', () => {
    const { DefaultRootObject, DefaultCacheBehavior: behavior, OriginGroups, Origins } = distribution;
    const [group] = OriginGroups.Items;
    const [files, html] = group.Members.Items.map(({ OriginId }: { OriginId: string }) =>
      Origins.find(({ Id }: { Id: string }) => Id === OriginId),
    );

    expect(DefaultRootObject).toBe('index.html');
    expect(behavior).toMatchObject({
      TargetOriginId: group.Id,
      ViewerProtocolPolicy: 'redirect-to-https',
    });
    expect(group.FailoverCriteria.StatusCodes.Items).toEqual([403, 404]);
    expect(files).toHaveProperty('S3OriginConfig');
    expect(html).toMatchObject({
      OriginPath: '/page',
      DomainName: apiOriginOf(template).DomainName,
      OriginCustomHeaders: apiOriginOf(template).OriginCustomHeaders,
    });
    expect(policyOf('OriginRequest', behavior)).toMatchObject({
      HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['cloudfront-viewer-address', 'accept'] },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
    });
  });

  test('comes with the headers that the local service sends', () => {
    const header = 'cross-origin-opener-policy';
    expect(pageHeaders['referrer-policy']).toBe('no-referrer');
    expect(policyOf('ResponseHeaders', distribution.DefaultCacheBehavior)).toMatchObject({
      SecurityHeadersConfig: securityHeaders(pageHeaders['content-security-policy']),
      CustomHeadersConfig: { Items: [{ Header: header, Value: pageHeaders[header], Override: true }] },
    });
  });

  test('is uploaded whole, after the files that it names, which may be cached for ever', () => {
    const directory = assemblyOf('dev');
    const uploads = Object.entries(pageTemplateOf('dev').findResources('Custom::CDKBucketDeployment'));
    const files = uploads.flatMap(([, { Properties }]) =>
      readdirSync(join(directory, `asset.${Properties.SourceObjectKeys[0].replace('.zip', '')}`)),
    );
    const [page, assets, ...others] = uploads.toSorted(([, { Properties }]) =>
      Properties.DistributionId ? -1 : 1,
    );

    expect(files.sort()).toEqual(['index-abc.js', 'index.html']);
    expect(others).toEqual([]);
    expect(assets?.[1].Properties).toMatchObject({
      DestinationBucketKeyPrefix: 'assets',
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
      Prune: false,
    });
    expect(page?.[1].Properties).toMatchObject({
      SystemMetadata: { 'cache-control': 'no-cache' },
      // What the API answered stays cached.
      DistributionPaths: ['/', '/index.html'],
    });
    expect(page?.[1].DependsOn).toContain(assets?.[0]);
  });
});

describe('the secret between distribution and API', () => {
  const secret = (color: string) => ({
    'Fn::Join': [
      '',
      [
        '{{resolve:secretsmanager:',
        { Ref: expect.stringMatching(new RegExp(`OriginSecrets${color}`)) },
        ':SecretString:::}}',
      ],
    ],
  });

  test.each([
    ['blue', undefined, {}],
    ['green', 'blue', configured],
  ] as const)('is %s to the distribution; the functions accept %s too', (shown, accepted, changes) => {
    expect(apiOriginOf(pageTemplateOf('prod', changes)).OriginCustomHeaders).toEqual([
      { HeaderName: 'x-origin-secret', HeaderValue: secret(shown) },
    ]);
    for (const { function: fn } of endpointsOf(templateOf('prod', changes))) {
      const { ORIGIN_SECRET, ORIGIN_SECRET_ALTERNATE } = fn.Environment.Variables;
      expect(ORIGIN_SECRET).toEqual(secret(shown));
      expect(ORIGIN_SECRET_ALTERNATE).toEqual(accepted && secret(accepted));
    }
  });

  test('is known to the functions before the distribution shows it; the page’s HTML changes after its files', () => {
    const [[edge = '', { DependsOn = [] } = {}] = []] = Object.entries(
      templateOf('prod').findResources('AWS::CloudFormation::Stack'),
    );
    const aliases = Object.entries(templateOf('prod').findResources('AWS::Lambda::Alias')).filter(
      ([id]) => !id.includes('FunctionLive'), // a job's
    );

    expect(aliases).toHaveLength(routes.length);
    for (const [id, alias] of aliases)
      if (id.includes('PageHtml')) expect(alias.DependsOn).toContain(edge);
      else expect(DependsOn).toContain(id);
  });
});

describe('the firewall', () => {
  const aclOf = (page: Template) => propertiesOf(page, 'AWS::WAFv2::WebACL')[0] ?? {};
  const acl = aclOf(template);
  const [flood, ...managed] = acl.Rules;
  interface Managed {
    readonly VendorName: string;
    readonly Name: string;
    readonly RuleActionOverrides?: readonly { readonly Name: string; readonly ActionToUse: object }[];
  }
  const groups: Managed[] = managed.map(
    ({ Statement }: { Statement: { ManagedRuleGroupStatement: Managed } }) =>
      Statement.ManagedRuleGroupStatement,
  );

  test('stands before prod alone, and nowhere else than where CloudFront takes it', () => {
    for (const stage of edgeStages) {
      const page = pageTemplateOf(stage);
      const isProd = stage === 'prod';
      page.resourceCountIs('AWS::WAFv2::WebACL', isProd ? 1 : 0);
      expect(distributionOf(page).WebACLId).toEqual(
        isProd ? { 'Fn::GetAtt': ['Firewall', 'Arn'] } : undefined,
      );
    }
    expect(() => templateOf('prod', { region: 'eu-central-1' })).toThrow(
      "CloudFront takes a firewall from us-east-1 only: set region: 'us-east-1' in infra/config.ts, or firewall: false",
    );
  });

  test('answers a flood from one address like the API’s own limit, at the stage’s rate', () => {
    const { CustomResponse: response } = flood.Action.Block;
    expect(flood.Statement).toEqual({ RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2_000 } });
    expect(response).toMatchObject({
      ResponseCode: 429,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '300' }],
    });
    expect(acl.CustomResponseBodies[response.CustomResponseBodyKey]).toEqual({
      ContentType: 'APPLICATION_JSON',
      Content: '{"success":false,"error":"Rate limit exceeded: this client\'s, at the firewall"}',
    });
    const generous = aclOf(pageTemplateOf('prod', configured));
    expect(generous.Rules[0].Statement.RateBasedStatement.Limit).toBe(30_000);
  });

  test('has AWS’s managed rules, but allows every size that a route’s contract allows', () => {
    expect(groups.map(({ VendorName, Name }) => `${VendorName} ${Name}`)).toEqual([
      'AWS AWSManagedRulesAmazonIpReputationList',
      'AWS AWSManagedRulesKnownBadInputsRuleSet',
      'AWS AWSManagedRulesCommonRuleSet',
    ]);
    const overrides = groups.flatMap(({ RuleActionOverrides = [] }) => RuleActionOverrides);
    for (const { ActionToUse } of overrides) expect(ActionToUse).toEqual({ Count: {} });
    const counted = overrides.map(({ Name }) => Name);
    /** docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html */
    const sizes = { URIPATH: 1_024, QUERYSTRING: 2_048, BODY: 8_192 };
    for (const route of routes.filter(({ path }) => path !== '$default')) {
      const longest = longestRequest(route);
      for (const [part, bytes] of Object.entries(sizes))
        if (!counted.includes(`SizeRestrictions_${part}`))
          expect(longest[part as keyof typeof sizes], route.name).toBeLessThanOrEqual(bytes);
    }
    expect(counted).toContain('NoUserAgent_HEADER');
  });

  test('keeps neither samples of requests nor a log, which would hold addresses and keys', () => {
    for (const { VisibilityConfig } of [acl, ...acl.Rules])
      expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    template.resourceCountIs('AWS::WAFv2::LoggingConfiguration', 0);
  });
});

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
    URIPATH: path.length + bytesIn('path'),
    QUERYSTRING: bytesIn('query'),
    BODY: method === 'POST' ? maxBodyBytes : 0,
  };
}
