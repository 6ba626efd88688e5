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
  const groups = groupsOf(address);
  const isMappedIpv4 = /^0:0:0:0:0:ffff:/.test(groups.join(':'));
  return isMappedIpv4 ? dotted(groups.slice(6)) : `${groups.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address without leading zeros; one that ends in dotted decimals included. */
function groupsOf(address: string): string[] {
  const hexadecimal = (address.split('%')[0] ?? '')
    .toLowerCase()
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    });
  const [left = [], right] = hexadecimal.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = right === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...(right ?? [])];
  return groups.map((group) => group.replace(/^0+(?=.)/, ''));
}

function dotted(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
}
