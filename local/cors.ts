/**
 * CORS as an HTTP API applies its CorsConfiguration: preflights never reach a function, and CORS headers set by a
 * function are replaced (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html).
 */
import { isRecord, list, type Resource, refuse } from './resources.ts';

export interface CorsConfiguration {
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  readonly maxAge: number | undefined;
}

export function readCors(api: Resource): CorsConfiguration | undefined {
  const cors = api.properties.CorsConfiguration;
  if (cors === undefined) return undefined;
  if (!isRecord(cors)) return refuse(api, 'CorsConfiguration is not an object');
  const texts = (name: string) => list({ ...api, properties: cors }, name, []).map(String);
  return {
    allowOrigins: texts('AllowOrigins'),
    allowMethods: texts('AllowMethods'),
    allowHeaders: texts('AllowHeaders'),
    exposeHeaders: texts('ExposeHeaders'),
    allowCredentials: cors.AllowCredentials === true,
    maxAge: typeof cors.MaxAge === 'number' ? cors.MaxAge : undefined,
  };
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
  const origin = allowedOrigin(cors.allowOrigins, request.origin);
  if (origin === undefined) return {};
  const headers: Record<string, string> = { 'access-control-allow-origin': origin };
  if (origin !== '*') headers.vary = 'Origin';
  if (cors.allowCredentials) headers['access-control-allow-credentials'] = 'true';
  if (isPreflight(request)) {
    if (cors.allowMethods.length > 0) headers['access-control-allow-methods'] = cors.allowMethods.join(',');
    if (cors.allowHeaders.length > 0) headers['access-control-allow-headers'] = cors.allowHeaders.join(',');
    if (cors.maxAge !== undefined) headers['access-control-max-age'] = String(cors.maxAge);
  } else if (cors.exposeHeaders.length > 0) {
    headers['access-control-expose-headers'] = cors.exposeHeaders.join(',');
  }
  return headers;
}

/** What the response allows; undefined if the origin is not allowed. */
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
