/** A caller's key, and the data of its client. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type NamedClient, onlyHeader } from './middleware/pipeline-request.ts';

/** The first one present counts; `authorization` has `Bearer ` before the key. */
export const KEY_HEADERS = ['x-api-key', 'authorization', 'x-cg-demo-api-key', 'x-cg-pro-api-key'] as const;
/** Spreadsheets can only send a query, so GET requests below these paths may have the key there. */
export const KEY_PARAMETERS = ['key', 'x_cg_demo_api_key', 'x_cg_pro_api_key'] as const;
export const KEY_PARAMETER_PATHS = ['/coingecko/', '/export/'] as const;

/**
 * Only the function at the edge can set this header: `key <given key>` for an unknown key, otherwise `name <name>;<requests a
 * minute>;<expiry>`, with the last two possibly empty.
 */
export const CLIENT_HEADER = 'x-client';
export const GIVEN_KEY = 'key ';
export const KNOWN_NAME = 'name ';

/** The key of a request, empty if there is none. Removes it from the query, so that no later code reads it. */
export function takeKey(event: APIGatewayProxyEventV2): string {
  const inQuery = takeFromQuery(event);
  for (const name of KEY_HEADERS) {
    const value = onlyHeader(event.headers, name);
    const key = name === 'authorization' ? (/^bearer +(.*)$/i.exec(value)?.[1] ?? '') : value;
    if (key) return key;
  }
  return inQuery;
}

function takeFromQuery(event: APIGatewayProxyEventV2): string {
  const { rawPath, rawQueryString, requestContext } = event;
  const method = requestContext?.http?.method;
  if (!rawQueryString || (method !== 'GET' && method !== 'HEAD')) return '';
  if (!KEY_PARAMETER_PATHS.some((path) => rawPath.startsWith(path))) return '';
  const query = new URLSearchParams(rawQueryString);
  let key = '';
  for (const name of KEY_PARAMETERS) {
    key ||= query.get(name) ?? '';
    query.delete(name);
    delete event.queryStringParameters?.[name];
  }
  event.rawQueryString = query.toString();
  return key;
}

/** The client in the format of the edge's store and header. */
export function clientText({ name, perMinute, expires }: NamedClient): string {
  return `${name};${perMinute ?? ''};${expires ?? ''}`;
}

export function clientIn(text: string): NamedClient {
  const [name = '', perMinute, expires] = text.split(';');
  return { name, perMinute: Number(perMinute) || undefined, expires: Number(expires) || undefined };
}
