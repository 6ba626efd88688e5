/** The sender of a request, for the rate limit and for the shares of upstream requests. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type NamedClient, stateOf } from './middleware/pipeline-request.ts';

const PSEUDONYM_LENGTH = 22;

/** The client of the request's key, with its limit and its expiry; undefined for the client application's own key. */
export function namedClientOf(event: object): NamedClient | undefined {
  return stateOf(event).client;
}

/**
 * The name of the caller's key, otherwise the address that the distribution saw, otherwise the gateway's; never a header that
 * callers can set. No address begins like a name.
 */
export function clientOf(event: Pick<APIGatewayProxyEventV2, 'requestContext'>): string {
  const { client, viewerAddress } = stateOf(event);
  if (client) return `key:${client.name}`;
  const address = viewerAddress ?? event.requestContext?.http?.sourceIp ?? 'unknown';
  return address.includes(':') ? subscriberOf(address) : address;
}

/** A pseudonym of the client, which can be resolved only with the service's own key. */
export function payerOf(event: Pick<APIGatewayProxyEventV2, 'requestContext'>): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  const { CLIENT_API_KEY: secret = '' } = process.env;
  return createHmac('sha256', secret).update(clientOf(event)).digest('base64url').slice(0, PSEUDONYM_LENGTH);
}

/** The /64, which one subscriber owns (RFC 6177), or the IPv4 address mapped into an IPv6 one (RFC 4291 §2.5.5.2). */
function subscriberOf(address: string): string {
  const url = URL.parse(`http://[${address.replace(/%.*/, '')}]`);
  if (!url) return address;
  // A URL normalizes the address: lower case, no leading zeros, no decimals, at most one `::` (RFC 5952).
  const halves = url.hostname.slice(1, -1).split('::');
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isMappedIpv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMappedIpv4
    ? [high >> 8, high & 255, low >> 8, low & 255].join('.')
    : `${groups.slice(0, 4).join(':')}::/64`;
}
