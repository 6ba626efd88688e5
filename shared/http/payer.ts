import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { clientOf } from './middleware/rate-limit.ts';
import { onlyHeader } from './middleware/secret-header.ts';

const LENGTH = 22;

/**
 * A text that stands for whoever calls, by key and address, and from which nobody without the service's own key can
 * tell which. Where no key is asked for, whatever was sent as one counts for nothing.
 */
export function payerOf(event: Pick<APIGatewayProxyEventV2, 'headers' | 'requestContext'>): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  const { CLIENT_API_KEY: secret = '', NODE_ENV } = process.env;
  const key = NODE_ENV === 'production' ? onlyHeader(event.headers, 'x-api-key') : '';
  return createHmac('sha256', secret)
    .update(`${key} ${clientOf(event)}`)
    .digest('base64url')
    .slice(0, LENGTH);
}
