import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import type { EdgeConfig } from '../../infra/config.ts';
import type { Route } from '../../shared/http/route.ts';
import { configured, edgeConfigOf, endpointsOf, pageTemplateOf, templateOf } from './synthesized.ts';

const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const edgeOf = (changes: Partial<EdgeConfig>) => ({ edge: { ...edgeConfigOf('prod'), ...changes } });

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

interface Viewed {
  readonly method?: string;
  readonly uri?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the store at the edge has. */
  readonly stored?: Readonly<Record<string, string>>;
}

/** What the behavior's function, run as in the template, makes of a request; it is given its two modules alone. */
async function atTheEdge(
  behavior: ReturnType<typeof behaviorFor>,
  { method = 'GET', uri = '/api/x', query = '', headers = {}, stored = {} }: Viewed,
): Promise<{ querystring: string; headers: Record<string, string> }> {
  const [association, ...others] = behavior?.FunctionAssociations ?? [];
  expect([association?.EventType, others]).toEqual(['viewer-request', []]);
  const { FunctionCode, FunctionConfig, AutoPublish } =
    edgeFunctions[association?.FunctionARN['Fn::GetAtt'][0] ?? '']?.Properties ?? {};
  expect([FunctionConfig.Runtime, AutoPublish]).toEqual(['cloudfront-js-2.0', true]);
  expect(FunctionConfig.KeyValueStoreAssociations).toHaveLength(1);
  // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
  const querystring: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const [name = '', value = ''] of query.split('&').map((pair) => pair.split('='))) {
    const earlier = querystring[name];
    if (query === '') continue;
    if (!earlier) querystring[name] = { value };
    else earlier.multiValue = [...(earlier.multiValue ?? [{ value: earlier.value }]), { value }];
  }
  const valued = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
  const request = { method, uri, querystring, headers: valued, cookies: {} };
  const get = async (key: string) => {
    if (!Object.hasOwn(stored, key)) throw new Error('KeyNotFound');
    return stored[key];
  };
  const code = FunctionCode.replace("import cf from 'cloudfront';", '');
  const answer = await runInNewContext(`${code}\nhandler(event)`, {
    cf: { kvs: () => ({ get }) },
    require: (name: string) => (name === 'crypto' ? { createHash } : undefined),
    event: { version: '1.0', request },
  });
  const sent = Object.entries<{ value: string }>(answer.headers).map(([name, { value }]) => [name, value]);
  return { querystring: answer.querystring, headers: Object.fromEntries(sent) };
}

const digestOf = (key: string) => createHash('sha256').update(key).digest('hex');

describe('the function at the edge', () => {
  const behavior = behaviorFor('/api/marketdata/search');
  const stored = { [digestOf('mdk_alice')]: 'alice;60;', [digestOf('mdk_bob')]: 'bob;;4102444800000' };

  test('is written in what its runtime knows', async () => {
    const [{ Properties } = { Properties: {} }] = Object.values(edgeFunctions);
    const supported = {
      arrow: true,
      'async-await': true,
      'const-and-let': true,
      'template-literal': true,
    };
    // docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
    const inRuntime = (code: string) => transform(code, { target: 'es5', supported, logLevel: 'silent' });

    await expect(inRuntime(Properties.FunctionCode)).resolves.toHaveProperty('code');
    await expect(inRuntime('f(({ value }) => value);')).rejects.toThrow(/destructuring/);
    await expect(inRuntime('for (const a of b) f(a);')).rejects.toThrow(/for-of/);
    expect(Properties.FunctionCode.length).toBeLessThan(10_240);
  });

  test.each([
    [{ 'x-api-key': 'mdk_alice' }, 'name alice;60;'],
    [{ authorization: 'Bearer mdk_alice' }, 'name alice;60;'],
    [{ 'x-cg-demo-api-key': 'mdk_alice' }, 'name alice;60;'],
    [{ 'x-cg-pro-api-key': 'mdk_bob' }, 'name bob;;4102444800000'],
  ])('knows a named client by %j, and hands on its name in place of its key', async (headers, client) => {
    expect((await atTheEdge(behavior, { headers, stored })).headers).toEqual({
      'x-client-class': 'named',
      'x-client': client,
    });
  });

  test.each([
    ['revoked or unknown', 'mdk_alice', {}],
    ['expired', 'mdk_alice', { [digestOf('mdk_alice')]: 'alice;60;1767225600000' }],
    ['of the client application', 'secret', stored],
  ])('hands on a key that is %s as it was given, for a cache of its own', async (_which, key, known) => {
    const { headers } = await atTheEdge(behavior, { headers: { 'x-api-key': key }, stored: known });
    expect(headers).toEqual({ 'x-client-class': digestOf(key), 'x-client': `key ${key}` });
  });

  test('believes nothing that a caller says of itself', async () => {
    const headers = { 'x-client': 'name alice;60;', 'x-client-class': 'named' };
    expect((await atTheEdge(behavior, { headers, stored })).headers).toEqual({
      'x-client-class': digestOf(''),
      'x-client': 'key ',
    });
  });

  test.each(['key', 'x_cg_demo_api_key', 'x_cg_pro_api_key', '%6Bey'])(
    'takes %s out of the query of what spreadsheets ask for, and of nothing else',
    async (name) => {
      const query = `b=2&${name}=mdk%5Falice&a=1`;
      for (const uri of ['/coingecko/api/v3/ping', '/export/prices.csv'])
        expect(await atTheEdge(behavior, { uri, query, stored })).toEqual({
          querystring: 'a=1&b=2',
          headers: { 'x-client-class': 'named', 'x-client': 'name alice;60;' },
        });
      for (const asked of [{ uri: '/api/x' }, { uri: '/udf/config' }, { uri: '/export/x', method: 'POST' }]) {
        const { querystring, headers } = await atTheEdge(behavior, { ...asked, query, stored });
        expect([querystring.includes(name), headers['x-client']]).toEqual([true, 'key ']);
      }
    },
  );

  test.each(['mdk_alice%0d%0Ax-client: name bob', '%ff', 'k'.repeat(513)])(
    'takes %j for no key',
    async (key) => {
      const { headers } = await atTheEdge(behavior, { uri: '/export/x', query: `key=${key}`, stored });
      expect(headers['x-client']).toBe('key ');
    },
  );

  test('runs for every request to the API', () => {
    for (const one of behaviors) expect(one.FunctionAssociations).toEqual(behavior?.FunctionAssociations);
  });
});

describe('the distribution before the API', () => {
  test.each<Route>(cachedRoutes)('caches $path by path, client and all of its query', async (route) => {
    const behavior = behaviorFor(route.path.replace(/\{\w+\+?\}/g, 'anything'));

    expect(policyOf(cachePolicies, behavior?.CachePolicyId)).toMatchObject({
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['x-client-class', 'origin'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
        EnableAcceptEncodingBrotli: true,
        EnableAcceptEncodingGzip: true,
      },
    });
    expect((await atTheEdge(behavior, { query: 'b=2&_=5&a=1' })).querystring).toBe('a=1&b=2');
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
  ])('knows the query ?%s as ?%s', async (query, key) => {
    expect((await atTheEdge(behaviorFor('/api/marketdata/search'), { query })).querystring).toBe(key);
  });

  test('has one cache policy and one function, and two of each other policy, of which an account has few', () => {
    expect(Object.keys(cachePolicies)).toHaveLength(1);
    expect(Object.keys(edgeFunctions)).toHaveLength(1);
    template.resourceCountIs('AWS::CloudFront::OriginRequestPolicy', 2);
    template.resourceCountIs('AWS::CloudFront::ResponseHeadersPolicy', 2);
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
            'x-client',
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

  test('is asked below /page for what is no file of the page, with the viewer’s address and what it accepts', () => {
    const { DefaultCacheBehavior: behavior, OriginGroups, Origins } = distribution;
    const [group] = OriginGroups.Items;
    expect(behavior).toMatchObject({ TargetOriginId: group.Id, Compress: true });
    expect(group.FailoverCriteria.StatusCodes.Items).toEqual([403, 404]);
    const [files, html] = group.Members.Items.map(({ OriginId }: { OriginId: string }) =>
      Origins.find(({ Id }: { Id: string }) => Id === OriginId),
    );
    expect(files).toHaveProperty('S3OriginConfig');
    expect(html).toMatchObject({
      OriginPath: '/page',
      DomainName: apiOriginOf(template).DomainName,
      OriginCustomHeaders: apiOriginOf(template).OriginCustomHeaders,
    });
    expect(policyOf(originRequestPolicies, behavior.OriginRequestPolicyId)).toMatchObject({
      HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['cloudfront-viewer-address', 'accept'] },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
    });
  });

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
        ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
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
    ['blue', undefined, {}],
    ['green', 'blue', configured],
  ] as const)('is %s to the distribution; the functions accept %s too', (shown, accepted, changes) => {
    expect(apiOriginOf(pageTemplateOf('prod', changes)).OriginCustomHeaders).toEqual([
      { HeaderName: 'x-origin-secret', HeaderValue: resolved(parameterOf(shown)) },
    ]);

    const live = endpointsOf(templateOf('prod', changes));
    expect(live).toHaveLength(routes.length);
    for (const { function: fn } of live) {
      const { ORIGIN_SECRET, ORIGIN_SECRET_ALTERNATE } = fn.Environment.Variables;
      expect(ORIGIN_SECRET).toEqual(resolved(parameterOf(shown)));
      expect(ORIGIN_SECRET_ALTERNATE).toEqual(accepted && resolved(parameterOf(accepted)));
    }
  });

  test('the distribution is changed after all functions that have to know its secret', () => {
    const [page] = Object.values(templateOf('prod').findResources('AWS::CloudFormation::Stack'));
    const aliases = Object.keys(templateOf('prod').findResources('AWS::Lambda::Alias')).filter(
      (id) => !id.includes('FunctionLive'), // a job's
    );

    const isOfPage = (id: string) => id.includes('PageHtml');
    expect(page?.DependsOn).toEqual(expect.arrayContaining(aliases.filter((id) => !isOfPage(id))));
    expect(aliases).toHaveLength(routes.length);
  });

  test('the function that names files of the page is changed after they are uploaded', () => {
    const [edge] = Object.keys(templateOf('prod').findResources('AWS::CloudFormation::Stack'));
    const aliases = Object.entries(templateOf('prod').findResources('AWS::Lambda::Alias'));
    const [page] = aliases.filter(([id]) => id.includes('PageHtml'));
    expect(page?.[1].DependsOn).toContain(edge);
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
