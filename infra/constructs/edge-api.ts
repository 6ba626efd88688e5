import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import {
  CLIENT_HEADER,
  GIVEN_KEY,
  KEY_HEADERS,
  KEY_PARAMETER_PATHS,
  KEY_PARAMETERS,
  KNOWN_NAME,
} from '../../shared/http/client-key.ts';
import { IDEMPOTENCY_HEADER } from '../../shared/http/idempotency.ts';
import { VIEWER_ADDRESS_HEADER } from '../../shared/http/middleware/authentication.ts';
import type { Route } from '../../shared/http/route.ts';
import { securityHeaders } from './page.ts';

/** Part of the cache key: the same for all named clients, otherwise a digest of the given key. */
const CACHE_CLASS_HEADER = 'x-client-class';
/**
 * A cached response is for one class of clients and one origin, because CORS headers name the origin.
 */
const cacheKeyHeaders = [CACHE_CLASS_HEADER, 'origin'];
const forwardedHeaders = [
  CLIENT_HEADER,
  VIEWER_ADDRESS_HEADER,
  'content-type',
  'access-control-request-method',
  'access-control-request-headers',
  'origin',
  IDEMPOTENCY_HEADER,
];

export type CachedRoute = Pick<Route, 'method' | 'path' | 'adapter' | 'requestHeaders'>;

/**
 * The distribution's behaviours for the API: GET routes are cached as their `Cache-Control` says, and everything else below /api is
 * forwarded. Cached responses are shared by named clients, or by callers with the same key.
 */
export class ApiBehaviors extends Construct {
  /** The behaviors by path pattern, the most specific first, in CloudFront's order. */
  readonly all: Readonly<Record<string, cloudfront.BehaviorOptions>>;

  /** The ARN of the key store at the edge. */
  readonly keysArn: string;

  constructor(scope: Construct, id: string, origin: cloudfront.IOrigin, routes: readonly CachedRoute[]) {
    super(scope, id);
    const keys = new EdgeKeys(this, 'Keys');
    this.keysArn = keys.store.keyValueStoreArn;
    const common = {
      origin,
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      // The API itself refuses unknown methods, in the envelope.
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      originRequestPolicy: this.#forwarded(routes),
      responseHeadersPolicy: new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
        securityHeadersBehavior: securityHeaders("default-src 'none'; frame-ancestors 'none'"),
      }),
      compress: true,
      // Every behaviour has the function, because the API trusts the headers that it sets.
      functionAssociations: [
        { eventType: cloudfront.FunctionEventType.VIEWER_REQUEST, function: keys.function },
      ],
    };
    const cached = { ...common, cachePolicy: this.#cachePolicy() };
    const patterns = routes
      .filter(({ method, path, adapter }) => method === 'GET' && (adapter || path.startsWith('/api/')))
      .map(patternOf)
      .sort((a, b) => b.length - a.length);
    this.all = Object.fromEntries([
      ...patterns.map((pattern) => [pattern, cached]),
      ['/api/*', { ...common, cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED }],
    ]);
  }

  /** A policy with all query names, because the API refuses unknown ones. */
  #cachePolicy(): cloudfront.CachePolicy {
    return new cloudfront.CachePolicy(this, 'Cache', {
      comment: 'By path, client and query',
      queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
      headerBehavior: cloudfront.CacheHeaderBehavior.allowList(...cacheKeyHeaders),
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0), // responses without a lifetime are not cached
      maxTtl: Duration.days(1),
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    });
  }

  /**
   * One policy for all, because an account may have few. The headers of the cache key are forwarded anyway; without a cache they are
   * forwarded because they are named here. No cached response depends on the other headers.
   */
  #forwarded(routes: readonly CachedRoute[]): cloudfront.OriginRequestPolicy {
    return new cloudfront.OriginRequestPolicy(this, 'Forwarded', {
      comment: 'The client and its address, and all that the API reads',
      headerBehavior: cloudfront.OriginRequestHeaderBehavior.allowList(
        ...forwardedHeaders,
        ...routes.flatMap(({ requestHeaders = [] }) => requestHeaders),
      ),
      queryStringBehavior: cloudfront.OriginRequestQueryStringBehavior.all(),
    });
  }
}

/** `/api/marketdata/ticker/{id}` → `/api/marketdata/ticker/*`. */
const patternOf = ({ path }: CachedRoute): string => path.replace(/\{[^}]+\}/g, '*');

const names = {
  KEY_HEADERS,
  KEY_PARAMETERS,
  KEY_PARAMETER_PATHS,
  CLIENT_HEADER,
  CACHE_CLASS_HEADER,
  GIVEN_KEY,
  KNOWN_NAME,
};

/** The function that runs before the cache lookup, and the store in which it looks up named clients' keys. */
class EdgeKeys extends Construct {
  readonly store: cloudfront.KeyValueStore;
  readonly function: cloudfront.Function;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.store = new cloudfront.KeyValueStore(this, 'Store', {
      comment: 'Named clients by the digests of their keys',
    });
    const constants = Object.entries(names).map(
      ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
    );
    const [statement, code] = readFileSync(join(import.meta.dirname, 'edge-function.js'), 'utf8').split(
      /(?<=^import .*\n)/,
    );
    this.function = new cloudfront.Function(this, 'Request', {
      comment: 'Takes the key out of the request, and sorts the query without names that begin with _',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline([statement, ...constants, code].join('\n')),
      keyValueStore: this.store,
    });
  }
}
