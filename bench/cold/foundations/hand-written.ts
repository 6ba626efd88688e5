import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { cachedTicker, isAllowed, isCoinId, takeRequest } from './ticker-service.ts';

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  if (!isAllowed(event.headers['x-api-key'])) return failure(401, 'Unauthorized');
  const { allowed, headers } = takeRequest(event.requestContext.http.sourceIp);
  if (!allowed) return failure(429, 'Rate limit exceeded', headers);
  const id = event.pathParameters?.id;
  if (!isCoinId(id)) return failure(400, 'Missing parameter: id', headers);
  try {
    const { data, cacheControl } = await cachedTicker(id);
    return answer(200, { success: true, data }, { ...headers, 'cache-control': cacheControl });
  } catch (error) {
    return failure(502, error instanceof Error ? error.message : 'Internal server error', headers);
  }
}

function failure(statusCode: number, error: string, headers: Record<string, string> = {}) {
  return answer(statusCode, { success: false, error }, { ...headers, 'cache-control': 'no-store' });
}

function answer(statusCode: number, body: object, headers: Record<string, string>) {
  return {
    statusCode,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: JSON.stringify(body),
  };
}
