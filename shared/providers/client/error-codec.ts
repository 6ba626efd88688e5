import type { ErrorCodec } from '../../coordination/answer-row.ts';
import { ShareUsedUp } from '../../coordination/quota.ts';
import { ApiError, isOutage } from '../../http/errors.ts';
import { DoubtedRefusal, PlanRefusal, UnusableAnswer } from '../../marketdata/provider.ts';
import { withoutSecrets } from '../../platform/redaction.ts';

interface Written {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** The plan's reach into the past, in ms: it moves on with the clock. */
  readonly plan?: { readonly reachMs?: number };
  readonly doubtedAt?: number;
  readonly isUnusable?: true;
}

/** For the errors of a provider that other instances would be told as well. */
export const errorCodec: ErrorCodec = {
  /** An unknown coin, a refusal or an outage, without secrets; undefined for what is this instance's, or one client's, own affair. */
  write(error) {
    if (!(error instanceof ApiError) || error instanceof ShareUsedUp) return undefined;
    const { statusCode: status, headers } = error;
    const message = withoutSecrets(error.message);
    if (status !== 404 && !error.isLasting && !isOutage(error)) return undefined;
    return JSON.stringify({ status, message, headers, ...kindOf(error) } satisfies Written);
  },

  read(text) {
    const { status, message, headers, plan, doubtedAt, isUnusable } = JSON.parse(text) as Written; // written above
    if (plan) {
      const since = plan.reachMs === undefined ? undefined : Date.now() - plan.reachMs;
      return new PlanRefusal(message, { since });
    }
    if (doubtedAt !== undefined) return new DoubtedRefusal(message, doubtedAt);
    return isUnusable ? new UnusableAnswer(message) : new ApiError(status, message, { headers });
  },
};

function kindOf(error: ApiError): Partial<Written> {
  if (error instanceof DoubtedRefusal) return { doubtedAt: error.at };
  if (error instanceof UnusableAnswer) return { isUnusable: true };
  if (!(error instanceof PlanRefusal)) return {};
  const { since } = error;
  return { plan: since === undefined ? {} : { reachMs: Date.now() - since } };
}
