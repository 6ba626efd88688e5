import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { toEvent } from '../../local/event.ts';

export const KEY = 'a-client-key-of-the-usual-length-0123456789';

interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** As `toEvent` takes it. */
  readonly routeKey: string;
  readonly pathParameters?: Record<string, string> | undefined;
  /** Sent as JSON. */
  readonly body?: object | undefined;
}

/** A request of a client that has the key, as API Gateway hands it on. */
export function eventTo({ method, target, routeKey, pathParameters, body }: Asked): APIGatewayProxyEventV2 {
  const request = {
    method,
    target,
    httpVersion: '1.1',
    headers: {
      host: ['abcdefghij.execute-api.us-east-1.amazonaws.com'],
      'x-api-key': [KEY],
      ...(body && { 'content-type': ['application/json'] }),
    },
    body: Buffer.from(body ? JSON.stringify(body) : ''),
    sourceIp: '10.1.0.1',
    port: 443,
    now: Date.now(),
  };
  return toEvent(request, routeKey, pathParameters);
}
