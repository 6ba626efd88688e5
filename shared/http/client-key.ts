/** The key that a caller gives, and what is known of the client whose key it is. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type NamedClient, onlyHeader } from './middleware/pipeline-request.ts';

/** The first that is given counts; `authorization` has `Bearer ` before the key. */
export const KEY_HEADERS = ['x-api-key', 'authorization', 'x-cg-demo-api-key', 'x-cg-pro-api-key'] as const;
/** Spreadsheets can send nothing but a query, so GET requests below these paths may have the key there. */
export const KEY_PARAMETERS = ['key', 'x_cg_demo_api_key', 'x_cg_pro_api_key'] as const;
export const KEY_PARAMETER_PATHS = ['/coingecko/', '/export/'] as const;

/**
 * Set by the function at the edge, which lets nobody else set it: `key <what was given>` if it does not know the key,
 * else `name <name>;<requests a minute>;<expiry>`, where the last two may be empty.
 */
export const CLIENT_HEADER = 'x-client';
export const GIVEN_KEY = 'key ';
export const KNOWN_NAME = 'name ';

/** The key of a request, empty if there is none. Takes it out of the query, so that nothing behind this sees it. */
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

/** The client as the edge writes it into its store and its header. */
export function clientText({ name, perMinute, expires }: NamedClient): string {
  return `${name};${perMinute ?? ''};${expires ?? ''}`;
}

export function clientIn(text: string): NamedClient {
  const [name = '', perMinute, expires] = text.split(';');
  return { name, perMinute: Number(perMinute) || undefined, expires: Number(expires) || undefined };
}
