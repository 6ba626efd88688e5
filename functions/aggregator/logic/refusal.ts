import { ApiError } from '../../../shared/http/errors.ts';
import type { HttpAnswer } from '../../../shared/platform/transport.ts';
import { retryAfterMs } from '../../../shared/platform/transport.ts';
import { count } from '../metrics.ts';

/**
 * The reason of a refusal in our words, by 0x's name for it (docs.0x.org, "Issues & Error Codes"). 0x's own texts are not
 * repeated.
 */
const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'it does not sell tokenOut',
    SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE: 'it does not buy tokenIn',
    TOKEN_NOT_SUPPORTED: 'it does not know tokenIn or tokenOut on this chain',
    TOKEN_PAIR_NOT_SUPPORTED: 'it does not trade tokenIn for tokenOut',
    XSTOCKS_NOT_AUTHORIZED: 'it does not trade these tokens for this service',
    TAKER_NOT_AUTHORIZED_FOR_TRADE: 'it does not trade with this sender',
    RECIPIENT_NOT_AUTHORIZED_FOR_TRADE: 'it does not pay this recipient',
    RECIPIENT_NOT_SUPPORTED: 'it pays the sender alone for this swap: leave out recipient',
    INSUFFICIENT_BALANCE: 'the sender has less of tokenIn than amount',
    SELL_AMOUNT_TOO_SMALL: 'amount is too small',
    SWAP_VALIDATION_FAILED: 'the swap failed in 0x’s simulation',
  }),
);

/** Our names for the parameters that callers control. */
const fields: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sellToken: 'tokenIn',
    buyToken: 'tokenOut',
    sellAmount: 'amount',
    taker: 'sender',
    recipient: 'recipient',
    slippageBps: 'slippageBps',
  }),
);

/** 0x's limit is per second (docs.0x.org, "Rate Limits"), and `Retry-After` may be missing. */
const RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 3600;

/** The error for a response with a status other than 200. */
export function refusalOf(answer: HttpAnswer): ApiError {
  const { status, headers } = answer;
  if (status === 429) {
    count('ZeroxLimited');
    const retryMs = retryAfterMs(headers['retry-after']);
    const seconds = retryMs === undefined ? RETRY_SECONDS : Math.min(retryMs / 1000, MAX_RETRY_SECONDS);
    return ApiError.rateLimited('the limit of 0x', seconds);
  }
  const { name, invalid } = bodyOf(answer);
  const reason = name === 'INPUT_INVALID' ? reasonOfFields(invalid) : reasons.get(name);
  if (reason !== undefined) return new ApiError(400, `0x refuses the swap: ${reason}`);
  if (status === 401 || status === 403) {
    count('ZeroxKeyRefused');
    return new ApiError(502, `0x refuses the key of this service (${status})`);
  }
  count('ZeroxFailed');
  return new ApiError(502, `0x answered ${status}`);
}

/** Undefined if one of them is not the caller's. */
function reasonOfFields(names: readonly string[]): string | undefined {
  const ours = names.flatMap((name) => fields.get(name) ?? []);
  if (ours.length === 0 || ours.length < names.length) return undefined;
  return `it cannot use ${[...new Set(ours)].join(', ')}`;
}

interface RefusalBody {
  readonly name?: unknown;
  readonly data?: { readonly details?: unknown };
}

function bodyOf({ body }: HttpAnswer): { readonly name: string; readonly invalid: readonly string[] } {
  try {
    // Any JSON; with another shape it has no name, or fails here.
    const { name, data } = JSON.parse(body.toString('utf8')) as RefusalBody;
    const details = Array.isArray(data?.details) ? data.details : [];
    return {
      name: String(name),
      invalid: details.map((detail: { field?: unknown }) => String(detail.field)),
    };
  } catch {
    return { name: '', invalid: [] };
  }
}
