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
import { VIEWER_ADDRESS_HEADER } from '../../shared/http/middleware/origin.ts';
import type { Route } from '../../shared/http/route.ts';

/** Whose key it is, and which web page asks: the API answers an origin that it knows with CORS headers for just that. */
const keyHeaders = ['x-api-key', 'origin'];
const forwardedHeaders = [
  VIEWER_ADDRESS_HEADER,
  'content-type',
  'access-control-request-method',
  'access-control-request-headers',
];

export type CachedRoute = Pick<Route, 'method' | 'path' | 'parameters'>;

/**
 * How the distribution treats the API: each GET route with a cache of its own, for as long as its answers'
 * `Cache-Control` says, and everything else below /api handed through. A cached answer is only for callers with the
 * same key: whoever has none or another asks the API itself.
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
      // What the API does not know it refuses itself, in the envelope.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      responseHeadersPolicy: this.#securityHeaders(),
      compress: true,
    };
    const cached = routes
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))
      .map((route) => [patternOf(route), this.#cachePolicy(route)] as const)
      .sort(([a], [b]) => b.length - a.length);
    const forwarded = this.#forwarded();
    this.all = Object.fromEntries([
      ...cached.map(([pattern, cachePolicy]) => [
        pattern,
        { ...common, cachePolicy, originRequestPolicy: forwarded },
      ]),
      [
        '/api/*',
        {
          ...common,
          cachePolicy: CachePolicy.CACHING_DISABLED,
          originRequestPolicy: this.#everything(),
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

  /** Beside what a cache is keyed on, which the API gets in any case. */
  #forwarded(): OriginRequestPolicy {
    return new OriginRequestPolicy(this, 'Forwarded', {
      comment: 'The viewer’s address, for the rate limit, and what the API reads beside its parameters',
      headerBehavior: OriginRequestHeaderBehavior.allowList(...forwardedHeaders),
    });
  }

  /** Where nothing is cached there is no key either, so what it would hold is named here. */
  #everything(): OriginRequestPolicy {
    return new OriginRequestPolicy(this, 'Everything', {
      comment: 'The viewer’s address, and all that the API reads',
      headerBehavior: OriginRequestHeaderBehavior.allowList(...forwardedHeaders, ...keyHeaders),
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
function patternOf({ path }: CachedRoute): string {
  return path.replace(/\{[^}]+\}/g, '*');
}
