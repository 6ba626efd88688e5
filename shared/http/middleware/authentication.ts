import { timingSafeEqual } from 'node:crypto';
import { writeSync } from 'node:fs';
import { nodeEnvProblem, readSecret } from '../../platform/environment.ts';
import { CLIENT_HEADER, clientIn, GIVEN_KEY, KEY_HEADERS, KNOWN_NAME, takeKey } from '../client-key.ts';
import { ApiError } from '../errors.ts';
import {
  type NamedClient,
  onlyHeader,
  type PipelineMiddleware,
  type PipelineRequest,
  stateOf,
} from './pipeline-request.ts';

/** The distribution adds this header to every request. */
export const ORIGIN_SECRET_HEADER = 'x-origin-secret';
/** `198.51.100.10:46532`: only CloudFront can set it. */
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';
const STDERR = 2;

/**
 * Checks two secrets.
 *
 * - If `ORIGIN_SECRET` is set, 403 for requests that do not come through the distribution, which alone has it (or
 *   `ORIGIN_SECRET_ALTERNATE`, so that it can be changed without an interruption). The distribution also sends the
 *   caller's address.
 * - In production, 401 for callers whose key is neither `CLIENT_API_KEY` nor that of a named client, and 500 if
 *   `CLIENT_API_KEY` is not set. Behind the distribution, the function at the edge has looked up named clients;
 *   elsewhere they are looked up here, after the comparison, which needs no table, and responses vary on the headers
 *   that may have a key: many are `public`, and no cache may serve them without one. Outside production all callers
 *   pass; a NODE_ENV that looks like a typing mistake causes a warning at the start.
 *
 * With `isPublic` neither is required: the distribution's secret then only confirms the caller's address, so that a page
 * keeps working while the secret is changed.
 *
 * Ordering: before everything else that reads the request. Callers without a key learn nothing more, and the rate limit
 * uses the address that is read here.
 */
export function authentication(isPublic = false): PipelineMiddleware {
  const problem = nodeEnvProblem(process.env.NODE_ENV);
  if (problem) writeSync(STDERR, `WARNING: ${problem}\n`);
  const { ORIGIN_SECRET, ORIGIN_SECRET_ALTERNATE } = process.env;
  const isFromDistribution = ORIGIN_SECRET ? isOneOf(ORIGIN_SECRET, ORIGIN_SECRET_ALTERNATE) : undefined;
  let isKeyed = false;
  let isClientKey: ((key: string) => boolean) | undefined;

  const authenticateBefore = ({ event }: PipelineRequest): void | Promise<void> => {
    const state = stateOf(event);
    let fromEdge = '';
    if (isFromDistribution?.(onlyHeader(event.headers, ORIGIN_SECRET_HEADER))) {
      state.viewerAddress = addressIn(onlyHeader(event.headers, VIEWER_ADDRESS_HEADER));
      fromEdge = onlyHeader(event.headers, CLIENT_HEADER);
    } else if (isFromDistribution && !isPublic) {
      throw ApiError.forbidden();
    }
    if (isPublic) return undefined;
    if (!isClientKey) {
      // Once in a container: reading the environment takes a tenth of a warm request.
      isKeyed = process.env.NODE_ENV === 'production';
      isClientKey = isKeyed ? comparisonWith(readSecret('CLIENT_API_KEY')) : () => true;
    }
    if (fromEdge.startsWith(KNOWN_NAME)) {
      state.client = clientIn(fromEdge.slice(KNOWN_NAME.length));
      return undefined;
    }
    // A distribution that is older than the function passes on the caller's own headers.
    const key = fromEdge ? fromEdge.slice(GIVEN_KEY.length) : takeKey(event);
    if (isKeyed && !fromEdge) state.headers.vary = KEY_HEADERS.join(', ');
    if (isClientKey(key)) return undefined;
    if (fromEdge || !key) throw ApiError.unauthorized();
    return readClient(key).then((client) => {
      state.client = client;
    });
  };

  return { before: authenticateBefore };
}

/** The client of a key, whose code only a key that is not the application's own loads. Throws 401 for an unknown key. */
async function readClient(key: string): Promise<NamedClient> {
  const { namedClient } = await import('../named-keys.ts');
  const client = await namedClient(key);
  if (!client) throw ApiError.unauthorized();
  return client;
}

/** Always compares with both secrets, so that the time taken does not reveal which one was right. */
function isOneOf(secret: string, alternate: string | undefined): (given: string) => boolean {
  const equalsSecret = comparisonWith(secret);
  const equalsAlternate = comparisonWith(alternate);
  return (given) => {
    const isSecret = equalsSecret(given);
    const isAlternate = equalsAlternate(given);
    return isSecret || isAlternate;
  };
}

/**
 * Compares byte by byte: the time taken reveals only whether the lengths are equal, and our documents state the length anyway.
 * Digests would hide that too, and took a tenth of a warm request. Nothing equals an unset secret.
 */
function comparisonWith(secret: string | undefined): (given: string) => boolean {
  if (!secret) return () => false;
  const expected = Buffer.from(secret);
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}

/** The address without its port, of IPv4 and of IPv6 with and without brackets. */
function addressIn(addressAndPort: string): string | undefined {
  const [, address] = /^\[?([^\]]+)\]?:\d+$/.exec(addressAndPort) ?? [];
  return address;
}
