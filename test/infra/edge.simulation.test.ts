import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { type EdgeConfig, stageConfig } from '../../infra/config.ts';
import type { Route } from '../../shared/http/route.ts';
import { configured, endpointsOf, pageTemplateOf, templateOf } from './synthesized.ts';

const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const edgeOf = (changes: Partial<EdgeConfig>) => ({ edge: { ...stageConfig('prod').edge, ...changes } });

function distributionOf(template: ReturnType<typeof templateOf>) {
  const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
  return distribution?.Properties.DistributionConfig ?? {};
}

/** The origin behind /api. */
function apiOriginOf(template: ReturnType<typeof templateOf>) {
  const { CacheBehaviors, Origins } = distributionOf(template);
  const { TargetOriginId } = CacheBehaviors.at(-1);
  return Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);
}

const template = pageTemplateOf('prod');
const distribution = distributionOf(template);
const behaviors: Record<string, unknown>[] = distribution.CacheBehaviors;
const cachePolicies = template.findResources('AWS::CloudFront::CachePolicy');
const originRequestPolicies = template.findResources('AWS::CloudFront::OriginRequestPolicy');
const cachedRoutes = routes.filter(
  ({ method, path, adapter }) => method === 'GET' && (adapter || path.startsWith('/api/')),
);

/** The first whose pattern matches, as CloudFront chooses. */
function behaviorFor(path: string) {
  const matches = (pattern: unknown) => new RegExp(`^${String(pattern).replaceAll('*', '.*')}$`).test(path);
  return behaviors.find(({ PathPattern }) => matches(PathPattern)) as
    | (Record<string, string & { readonly Ref: string }> & {
        readonly FunctionAssociations?: readonly {
          readonly EventType: string;
          readonly FunctionARN: { readonly 'Fn::GetAtt': readonly [string, string] };
        }[];
      })
    | undefined;
}

const policyOf = (policies: typeof cachePolicies, reference: { Ref: string } | undefined) =>
  Object.values(policies[reference?.Ref ?? '']?.Properties ?? {})[0] as Record<string, never>;

const edgeFunctions = template.findResources('AWS::CloudFront::Function');

/** The query by which a cache knows a request: what the behavior's function, run as in the template, makes of it. */
function normalized(behavior: ReturnType<typeof behaviorFor>, query: string): unknown {
  const [association, ...others] = behavior?.FunctionAssociations ?? [];
  expect([association?.EventType, others]).toEqual(['viewer-request', []]);
  const { FunctionCode, FunctionConfig, AutoPublish } =
    edgeFunctions[association?.FunctionARN['Fn::GetAtt'][0] ?? '']?.Properties ?? {};
  expect([FunctionConfig.Runtime, AutoPublish]).toEqual(['cloudfront-js-2.0', true]);
  // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
  const querystring: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const [name = '', value = ''] of query.split('&').map((pair) => pair.split('='))) {
    const earlier = querystring[name];
    if (query === '') continue;
    if (!earlier) querystring[name] = { value };
    else earlier.multiValue = [...(earlier.multiValue ?? [{ value: earlier.value }]), { value }];
  }
  const request = { method: 'GET', uri: '/api/x', querystring, headers: {}, cookies: {} };
  const event = JSON.stringify({ version: '1.0', request });
  return JSON.parse(runInNewContext(`${FunctionCode}\nJSON.stringify(handler(${event}))`)).querystring;
}

describe('the distribution before the API', () => {
  test.each<Route>(cachedRoutes)('caches $path by path, key and all of its query', (route) => {
    const behavior = behaviorFor(route.path.replace(/\{\w+\+?\}/g, 'anything'));

    expect(policyOf(cachePolicies, behavior?.CachePolicyId)).toMatchObject({
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-api-key', 'origin'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
        EnableAcceptEncodingBrotli: true,
        EnableAcceptEncodingGzip: true,
      },
    });
    expect(normalized(behavior, 'b=2&_=5&a=1')).toBe('a=1&b=2');
  });

  test.each([
    ['limit=5&interval=7d', 'interval=7d&limit=5'],
    ['interval=7d&limit=5', 'interval=7d&limit=5'],
    ['_=1767225600000&interval=7d&_cb=2&_=3&%5Fcb=4', 'interval=7d'],
    ['interva=7d', 'interva=7d'],
    ['q=b&limit=5&q=a', 'limit=5&q=a&q=b'],
    ['ids=btc-bitcoin%2Ceth-ethereum&q=a%26b+c', 'ids=btc-bitcoin%2Ceth-ethereum&q=a%26b+c'],
    ['q=', 'q='],
    ['', ''],
  ])('knows the query ?%s as ?%s', (given, key) => {
    expect(normalized(behaviorFor('/api/marketdata/search'), given)).toBe(key);
  });

  test('has one cache policy and one function, of which an account has few', () => {
    expect(Object.keys(cachePolicies)).toHaveLength(1);
    expect(Object.keys(edgeFunctions)).toHaveLength(1);
  });

  test('keeps an answer for as long as its Cache-Control says, and no answer that does not say', () => {
    for (const { Properties } of Object.values(cachePolicies))
      expect(Properties.CachePolicyConfig).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 86_400 });
  });

  test('keeps no failure', () => {
    const errors: { ErrorCode: number }[] = distribution.CustomErrorResponses;
    expect(errors.map(({ ErrorCode }) => ErrorCode)).toEqual(
      expect.arrayContaining([400, 403, 404, 405, 500, 502, 503, 504]),
    );
    // No ResponsePagePath: an error page would stand in for the API's own answers.
    for (const error of errors) expect(error).toEqual({ ErrorCode: error.ErrorCode, ErrorCachingMinTTL: 0 });
  });

  test.each(['/api', '/api/marketdata/quote', '/api/x/y'].map((path) => [path]))(
    'hands %s through, uncached, with all its parameters and the key, or has no API there',
    (path) => {
      const behavior = behaviorFor(path);
      if (path === '/api') return expect(behavior).toBeUndefined();
      expect(behavior?.CachePolicyId).toBe(CACHING_DISABLED);
      expect(policyOf(originRequestPolicies, behavior?.OriginRequestPolicyId)).toMatchObject({
        HeadersConfig: {
          Headers: expect.arrayContaining([
            'x-api-key',
            'origin',
            'content-type',
            'Idempotency-Key',
            ...routes.flatMap(({ requestHeaders = [] }) => requestHeaders),
          ]),
        },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
      });
    },
  );

  test('hands on no more headers than a policy may have', () => {
    // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html
    for (const { Properties } of Object.values(originRequestPolicies))
      expect(Properties.OriginRequestPolicyConfig.HeadersConfig.Headers.length).toBeLessThanOrEqual(10);
  });

  test('tells the API the address of the viewer, and never the name that the viewer asked for', () => {
    for (const behavior of behaviors) {
      const policy = policyOf(
        originRequestPolicies,
        behavior.OriginRequestPolicyId as { Ref: string } | undefined,
      ) as unknown as { HeadersConfig: { HeaderBehavior: string; Headers: string[] } };
      expect(policy.HeadersConfig.HeaderBehavior).toBe('whitelist');
      expect(policy.HeadersConfig.Headers).toContain('cloudfront-viewer-address');
      expect(policy.HeadersConfig.Headers).not.toContain('host'); // API Gateway knows its own name only
    }
  });

  test('takes every method over HTTPS, compresses, and adds the security headers', () => {
    const headers = template.findResources('AWS::CloudFront::ResponseHeadersPolicy');
    for (const behavior of behaviors) {
      expect(behavior).toMatchObject({
        ViewerProtocolPolicy: 'https-only',
        Compress: true,
        AllowedMethods: expect.arrayContaining(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']),
      });
      const { Ref } = behavior.ResponseHeadersPolicyId as { Ref: string };
      expect(headers[Ref]?.Properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig).toEqual({
        ContentSecurityPolicy: {
          ContentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
          Override: true,
        },
        ContentTypeOptions: { Override: true },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
      });
    }
  });

  test('takes no header out of an answer, and puts none in its place but the security headers', () => {
    const policies = template.findResources('AWS::CloudFront::ResponseHeadersPolicy');
    for (const behavior of behaviors) {
      const { Ref } = behavior.ResponseHeadersPolicyId as { Ref: string };
      expect(Object.keys(policies[Ref]?.Properties.ResponseHeadersPolicyConfig)).toEqual([
        'Name',
        'SecurityHeadersConfig',
      ]);
    }
  });

  test('asks the API through an origin shield if one is configured', () => {
    const shielded = pageTemplateOf('prod', configured);

    expect(apiOriginOf(shielded).OriginShield).toEqual({
      Enabled: true,
      OriginShieldRegion: 'eu-central-1',
    });
    expect(apiOriginOf(template)).not.toHaveProperty('OriginShield');
  });
});

describe('the secret between distribution and API', () => {
  const parameterOf = (color: string) => expect.stringMatching(new RegExp(`OriginSecrets${color}`));
  const resolved = (id: unknown) => ({
    'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']],
  });

  test.each([
    ['blue', 'green', {}],
    ['green', 'blue', configured],
  ] as const)(
    'while the distribution shows %s, the functions accept %s too',
    (originSecret, alternate, changes) => {
      expect(apiOriginOf(pageTemplateOf('prod', changes)).OriginCustomHeaders).toEqual([
        { HeaderName: 'x-origin-secret', HeaderValue: resolved(parameterOf(originSecret)) },
      ]);

      const service = templateOf('prod', changes);
      const live = endpointsOf(service);
      expect(live).toHaveLength(routes.length);
      for (const { function: fn } of live) {
        expect(fn.Environment.Variables).toMatchObject({
          ORIGIN_SECRET: resolved(parameterOf(originSecret)),
          ORIGIN_SECRET_ALTERNATE: resolved(parameterOf(alternate)),
        });
      }
      const { RotateOriginSecretCommand } = service.toJSON().Outputs;
      expect(JSON.stringify(RotateOriginSecretCommand.Value)).toContain(`OriginSecrets${alternate}`);
      expect(JSON.stringify(RotateOriginSecretCommand.Value)).not.toContain(`OriginSecrets${originSecret}`);
    },
  );

  test('the distribution is changed after all functions that have to know its secret', () => {
    const [page] = Object.values(templateOf('prod').findResources('AWS::CloudFormation::Stack'));
    const aliases = Object.keys(templateOf('prod').findResources('AWS::Lambda::Alias'));

    expect(page?.DependsOn).toEqual(expect.arrayContaining(aliases));
    expect(aliases).toHaveLength(routes.length);
  });

  test('no job holds it', () => {
    for (const [id, { Properties }] of Object.entries(
      templateOf('prod').findResources('AWS::Lambda::Function'),
    ))
      if (id.startsWith('MarketdataRegistry'))
        expect(Properties.Environment.Variables).not.toHaveProperty('ORIGIN_SECRET');
  });
});

describe('a domain of one’s own', () => {
  const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/0';

  test('comes with its certificate and TLS 1.2, and is the address that is printed', () => {
    expect(distributionOf(pageTemplateOf('prod', configured))).toMatchObject({
      Aliases: ['prices.example.com', 'www.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: certificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
    expect(templateOf('prod', configured).toJSON().Outputs.PageUrl.Value).toBe('https://prices.example.com/');
  });

  test('is CloudFront’s own unless configured', () => {
    expect(distribution).not.toHaveProperty('Aliases');
    expect(distribution).not.toHaveProperty('ViewerCertificate');
    expect(JSON.stringify(templateOf('prod').toJSON().Outputs.PageUrl.Value)).toContain('DomainName');
  });

  test.each([{ domainNames: ['prices.example.com'] }, { certificateArn }])(
    'is an error without the other: %j',
    (half) => {
      expect(() => templateOf('prod', edgeOf(half))).toThrow(/a domain needs its certificate/);
    },
  );
});
