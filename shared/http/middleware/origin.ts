import { ApiError } from '../errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';
import { comparisonWith, onlyHeader } from './secret-header.ts';

/** The distribution adds this header to every request. */
export const ORIGIN_SECRET_HEADER = 'x-origin-secret';
/** `198.51.100.10:46532`: CloudFront sets it, and lets nobody else set it. */
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';

/**
 * If `ORIGIN_SECRET` is set, refuses with 403 whatever does not come through the distribution, which alone knows it,
 * and takes the caller's address from it. `ORIGIN_SECRET_ALTERNATE` is accepted too, because a distribution takes
 * minutes to learn another one.
 *
 * Ordering: before all other refusals; the rate limit counts by the address that this one finds.
 */
export function origin(): PipelineMiddleware[] {
  const { ORIGIN_SECRET: current, ORIGIN_SECRET_ALTERNATE: alternate } = process.env;
  if (!current) return [];
  const isCurrentSecret = comparisonWith(current);
  const isAlternateSecret = comparisonWith(alternate);

  const originBefore = ({ event }: PipelineRequest): void => {
    const given = onlyHeader(event.headers, ORIGIN_SECRET_HEADER);
    const isCurrent = isCurrentSecret(given);
    const isAlternate = isAlternateSecret(given);
    if (!isCurrent && !isAlternate) throw ApiError.forbidden();
    stateOf(event).viewerAddress = addressIn(onlyHeader(event.headers, VIEWER_ADDRESS_HEADER));
  };

  return [{ before: originBefore }];
}

/** The address without its port, of IPv4 and of IPv6 with and without brackets. */
function addressIn(addressAndPort: string): string | undefined {
  const [, address] = /^\[?([^\]]+)\]?:\d+$/.exec(addressAndPort) ?? [];
  return address;
}
