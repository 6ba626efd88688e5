/** Who sends a request: by which the rate limit counts, and who pays for upstream requests. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { onlyHeader, stateOf } from './middleware/pipeline-request.ts';

const PSEUDONYM_LENGTH = 22;

/** The address that the distribution saw, otherwise the gateway's; never a header that the caller can set. */
export function clientOf(event: Pick<APIGatewayProxyEventV2, 'requestContext'>): string {
  const address = stateOf(event).viewerAddress ?? event.requestContext?.http?.sourceIp ?? 'unknown';
  return address.includes(':') ? subscriberOf(address) : address;
}

/**
 * A pseudonym of the caller's key and address, which only the service's own key can trace back. Outside production no
 * key is required, so whatever was sent as one counts for nothing.
 */
export function payerOf(event: Pick<APIGatewayProxyEventV2, 'headers' | 'requestContext'>): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  const { CLIENT_API_KEY: secret = '', NODE_ENV } = process.env;
  const key = NODE_ENV === 'production' ? onlyHeader(event.headers, 'x-api-key') : '';
  const digest = createHmac('sha256', secret)
    .update(`${key} ${clientOf(event)}`)
    .digest('base64url');
  return digest.slice(0, PSEUDONYM_LENGTH);
}

/** The /64, which one subscriber owns (RFC 6177), or the IPv4 address that this one maps (RFC 4291 §2.5.5.2). */
function subscriberOf(address: string): string {
  const url = URL.parse(`http://[${address.replace(/%.*/, '')}]`);
  if (!url) return address;
  // A URL has the address in one spelling: lower case, no leading zeros, no decimals, at most one `::` (RFC 5952).
  const halves = url.hostname.slice(1, -1).split('::');
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isMappedIpv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMappedIpv4
    ? [high >> 8, high & 255, low >> 8, low & 255].join('.')
    : `${groups.slice(0, 4).join(':')}::/64`;
}
