import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { count } from '../../platform/metrics.ts';
import { ApiError } from '../errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';
import { type RateDecision, RateLimiter } from './rate-limiter.ts';

interface Options {
  readonly requestsPerMinute: number;
  readonly now?: () => number;
}

/**
 * Refuses a client's requests above the limit of a minute with 429 and `Retry-After`; every answer carries
 * `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds).
 *
 * Ordering: after authentication, so that requests without a key do not use up an address's limit, and before
 * validation. Counts live in this container alone.
 */
export function rateLimit({ requestsPerMinute, now }: Options): PipelineMiddleware {
  const limiter = new RateLimiter(requestsPerMinute, { now });

  const rateLimitBefore = (request: PipelineRequest): void => {
    const decision = limiter.take(clientOf(request.event));
    tell(request, decision);
    if (decision.allowed) return;
    count('RateLimited');
    throw ApiError.rateLimited(decision.resetSeconds);
  };

  const rateLimitOnError = (request: PipelineRequest): void => {
    const refusedBeforeCounting = !('ratelimit-limit' in stateOf(request.event).headers);
    if (refusedBeforeCounting) tell(request, limiter.peek(clientOf(request.event)));
  };

  return { before: rateLimitBefore, onError: rateLimitOnError };
}

function tell(request: PipelineRequest, { limit, remaining, resetSeconds }: RateDecision): void {
  const { headers } = stateOf(request.event);
  headers['ratelimit-limit'] = String(limit);
  headers['ratelimit-remaining'] = String(remaining);
  headers['ratelimit-reset'] = String(resetSeconds);
}

/**
 * The client of a request: the address that the distribution saw, otherwise the gateway's, never a header that the
 * caller can set. An IPv6 subscriber owns a whole /64 (RFC 6177), so its first four groups count.
 */
export function clientOf(event: Pick<APIGatewayProxyEventV2, 'requestContext'>): string {
  const address = stateOf(event).viewerAddress ?? event.requestContext?.http?.sourceIp ?? 'unknown';
  if (!address.includes(':')) return address;
  const groups = groupsOf(address);
  const isMappedIpv4 = /^0:0:0:0:0:ffff:/.test(groups.join(':')); // RFC 4291 §2.5.5.2
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
