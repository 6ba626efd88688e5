import { Duration } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  type ICachePolicy,
  type IOrigin,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import { IDEMPOTENCY_HEADER } from '../../shared/http/idempotency.ts';
import { VIEWER_ADDRESS_HEADER } from '../../shared/http/middleware/origin.ts';
import type { Route } from '../../shared/http/route.ts';

/** A cached answer is for one key and one web page: the API answers a known origin with CORS headers for just that. */
const keyHeaders = ['x-api-key', 'origin'];
const forwardedHeaders = [
  VIEWER_ADDRESS_HEADER,
  'content-type',
  'access-control-request-method',
  'access-control-request-headers',
];

export type CachedRoute = Pick<Route, 'method' | 'path' | 'parameters' | 'requestHeaders'>;

/**
 * The distribution's treatment of the API: each GET route with a cache of its own, for as long as its answers'
 * `Cache-Control` says, and everything else below /api handed through. A cached answer is only for callers with the
 * same key: other callers ask the API itself.
 */
export class ApiBehaviors extends Construct {
  /** By path pattern, the most specific first, as CloudFront looks for them. */
  readonly all: Readonly<Record<string, BehaviorOptions>>;
  readonly #policies = new Map<string, ICachePolicy>();

  constructor(scope: Construct, id: string, origin: IOrigin, routes: readonly CachedRoute[]) {
    super(scope, id);
    const common = {
      origin,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // The API itself refuses what it does not know, in the envelope.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      responseHeadersPolicy: this.#securityHeaders(),
      compress: true,
    };
    const cached = routes
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))
      .map((route) => [patternOf(route), this.#cachePolicy(route)] as const)
      .sort(([a], [b]) => b.length - a.length);
    // Beside what a cache is keyed on, which the API gets in any case.
    const forwarded = new OriginRequestPolicy(this, 'Forwarded', {
      comment: 'The viewer’s address, for the rate limit, and what the API reads beside its parameters',
      headerBehavior: OriginRequestHeaderBehavior.allowList(...forwardedHeaders),
    });
    this.all = Object.fromEntries([
      ...cached.map(([pattern, policy]) => [
        pattern,
        { ...common, cachePolicy: policy, originRequestPolicy: forwarded },
      ]),
      [
        '/api/*',
        {
          ...common,
          cachePolicy: CachePolicy.CACHING_DISABLED,
          originRequestPolicy: this.#everything(routes),
        },
      ],
    ]);
  }

  /** One for all routes with the same parameters: an account may have twenty. */
  #cachePolicy({ parameters }: CachedRoute): ICachePolicy {
    const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    const names = [...query].sort().join('-');
    const known =
      this.#policies.get(names) ??
      new CachePolicy(this, names === '' ? 'CacheWithoutQuery' : `CacheBy-${names}`, {
        comment: names === '' ? 'By path and key' : `By path, key and ${names.replaceAll('-', ', ')}`,
        queryStringBehavior:
          query.length > 0 ? CacheQueryStringBehavior.allowList(...query) : CacheQueryStringBehavior.none(),
        headerBehavior: CacheHeaderBehavior.allowList(...keyHeaders),
        minTtl: Duration.seconds(0),
        defaultTtl: Duration.seconds(0), // an answer that does not say may not be kept
        maxTtl: Duration.days(1),
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      });
    this.#policies.set(names, known);
    return known;
  }

  /** Without a cache there is no cache key that would forward these headers, so they are named here. */
  #everything(routes: readonly CachedRoute[]): OriginRequestPolicy {
    return new OriginRequestPolicy(this, 'Everything', {
      comment: 'The viewer’s address, and all that the API reads',
      headerBehavior: OriginRequestHeaderBehavior.allowList(
        ...forwardedHeaders,
        ...keyHeaders,
        IDEMPOTENCY_HEADER,
        ...routes.flatMap(({ requestHeaders = [] }) => requestHeaders),
      ),
      queryStringBehavior: OriginRequestQueryStringBehavior.all(),
    });
  }

  #securityHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
        contentSecurityPolicy: {
          contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
          override: true,
        },
      },
    });
  }
}

/** `/api/marketdata/ticker/{id}` → `/api/marketdata/ticker/*`. */
const patternOf = ({ path }: CachedRoute): string => path.replace(/\{[^}]+\}/g, '*');
