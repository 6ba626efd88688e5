import { Duration } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  type IOrigin,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import { IDEMPOTENCY_HEADER } from '../../shared/http/idempotency.ts';
import { VIEWER_ADDRESS_HEADER } from '../../shared/http/middleware/authentication.ts';
import type { Route } from '../../shared/http/route.ts';

/** A cached answer is for one key and one web page: the API answers a known origin with CORS headers for just that. */
const keyHeaders = ['x-api-key', 'origin'];
const forwardedHeaders = [
  VIEWER_ADDRESS_HEADER,
  'content-type',
  'access-control-request-method',
  'access-control-request-headers',
];

/**
 * Runs at the edge before the cache is looked into. The order of parameters does not matter, and names that begin with
 * `_` (or its code, %5F) mean nothing to the API. Unknown names stay, because the API refuses them.
 */
const normalizeQuery = `function handler(event) {
  const request = event.request;
  const pairs = [];
  for (const name in request.querystring) {
    if (/^(_|%5f)/i.test(name)) continue;
    const given = request.querystring[name];
    (given.multiValue || [given]).forEach(({ value }) => pairs.push(name + '=' + value));
  }
  request.querystring = pairs.sort().join('&');
  return request;
}`;

export type CachedRoute = Pick<Route, 'method' | 'path' | 'adapter' | 'requestHeaders'>;

/**
 * The distribution's treatment of the API: GET routes are cached for as long as their answers' `Cache-Control` says, and
 * everything else below /api is handed through. A cached answer is only for callers with the same key: other callers ask
 * the API itself.
 */
export class ApiBehaviors extends Construct {
  /** By path pattern, the most specific first, as CloudFront looks for them. */
  readonly all: Readonly<Record<string, BehaviorOptions>>;

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
    const cached = {
      ...common,
      cachePolicy: this.#cachePolicy(),
      // Beside what the cache is keyed on, which the API gets in any case.
      originRequestPolicy: new OriginRequestPolicy(this, 'Forwarded', {
        comment: 'The viewer’s address, for the rate limit, and what the API reads beside its parameters',
        headerBehavior: OriginRequestHeaderBehavior.allowList(...forwardedHeaders),
      }),
      functionAssociations: [
        {
          eventType: FunctionEventType.VIEWER_REQUEST,
          function: new EdgeFunction(this, 'NormalizeQuery', {
            comment: 'Sorts the query, and drops names that begin with _',
            runtime: FunctionRuntime.JS_2_0,
            code: FunctionCode.fromInline(normalizeQuery),
          }),
        },
      ],
    };
    const patterns = routes
      .filter(({ method, path, adapter }) => method === 'GET' && (adapter || path.startsWith('/api/')))
      .map(patternOf)
      .sort((a, b) => b.length - a.length);
    this.all = Object.fromEntries([
      ...patterns.map((pattern) => [pattern, cached]),
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

  /** With all names, because an unknown one has to reach the API, which refuses it. */
  #cachePolicy(): CachePolicy {
    return new CachePolicy(this, 'Cache', {
      comment: 'By path, key and query',
      queryStringBehavior: CacheQueryStringBehavior.all(),
      headerBehavior: CacheHeaderBehavior.allowList(...keyHeaders),
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0), // an answer that does not say may not be kept
      maxTtl: Duration.days(1),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    });
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
