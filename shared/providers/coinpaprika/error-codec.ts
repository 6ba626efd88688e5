import { ApiError, isOutage } from '../../http/errors.ts';
import type { ErrorCodec } from '../client/shared-entry.ts';
import { PlanRefusal } from './answers.ts';

interface Written {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** How far back the plan reached then, in ms: its reach moves on with the clock. */
  readonly plan?: { readonly reachMs?: number };
}

/** What one instance was told by the provider, for those that would ask the same: unknown coin, refused, failing. */
export const errorCodec: ErrorCodec = {
  write(error) {
    if (!(error instanceof ApiError)) return undefined;
    const { statusCode: status, message, headers } = error;
    if (status !== 404 && !error.isLasting && !isOutage(error)) return undefined;
    const since = error instanceof PlanRefusal ? error.since : undefined;
    const reach = since === undefined ? {} : { reachMs: Date.now() - since };
    const plan = error instanceof PlanRefusal ? { plan: reach } : {};
    return JSON.stringify({ status, message, headers, ...plan } satisfies Written);
  },

  read(text) {
    const { status, message, headers, plan } = JSON.parse(text) as Written; // written above
    if (plan) return new PlanRefusal(plan.reachMs === undefined ? undefined : Date.now() - plan.reachMs);
    return new ApiError(status, message, { headers });
  },
};
