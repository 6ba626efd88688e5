/**
 * CORS as an HTTP API applies its CorsConfiguration: preflights never reach a function, and CORS headers set by a
 * function are replaced (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html).
 */

/** The CORS configuration in the template. */
export interface CorsConfiguration {
  readonly AllowOrigins?: readonly string[];
  readonly AllowMethods?: readonly string[];
  readonly AllowHeaders?: readonly string[];
  readonly ExposeHeaders?: readonly string[];
  readonly AllowCredentials?: boolean;
  readonly MaxAge?: number;
}

interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  readonly requestedMethod: string | undefined;
}

export function isPreflight({ method, origin, requestedMethod }: CorsRequest): boolean {
  return method === 'OPTIONS' && origin !== undefined && requestedMethod !== undefined;
}

/** The CORS headers of the response; empty if the origin is not allowed. */
export function corsHeaders(cors: CorsConfiguration, request: CorsRequest): Record<string, string> {
  const { AllowOrigins = [], AllowMethods, AllowHeaders, ExposeHeaders, AllowCredentials, MaxAge } = cors;
  const origin = allowedOrigin(AllowOrigins, request.origin);
  if (origin === undefined) return {};
  const headers = {
    'access-control-allow-origin': origin,
    vary: origin === '*' ? undefined : 'Origin',
    'access-control-allow-credentials': AllowCredentials ? 'true' : undefined,
    ...(isPreflight(request)
      ? {
          'access-control-allow-methods': AllowMethods?.join(','),
          'access-control-allow-headers': AllowHeaders?.join(','),
          'access-control-max-age': MaxAge?.toString(),
        }
      : { 'access-control-expose-headers': ExposeHeaders?.join(',') }),
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** The origin that the response allows; undefined if the request's is not allowed. */
export function allowedOrigin(origins: readonly string[], origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  if (origins.includes('*')) return '*';
  // `https://*` is the only pattern that an HTTP API supports besides `*`.
  const isAllowed = origins.some(
    (allowed) =>
      allowed === origin || (/^https?:\/\/\*$/.test(allowed) && origin.startsWith(allowed.slice(0, -1))),
  );
  return isAllowed ? origin : undefined;
}
