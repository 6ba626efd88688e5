import type { ErrorCodec } from '../../coordination/answer-row.ts';
import { ApiError, isOutage } from '../../http/errors.ts';
import { PlanRefusal } from '../../marketdata/provider.ts';

interface Written {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** The plan's reach into the past, in ms: it moves on with the clock. */
  readonly plan?: { readonly reachMs?: number };
}

/** For the errors of a provider that other instances would be told as well. */
export function errorCodec(title: string): ErrorCodec {
  return {
    /** An unknown coin, a refusal or an outage; undefined for what is this instance's own affair. */
    write(error) {
      if (!(error instanceof ApiError)) return undefined;
      const { statusCode: status, message, headers } = error;
      if (status !== 404 && !error.isLasting && !isOutage(error)) return undefined;
      return JSON.stringify({ status, message, headers, ...planIn(error) } satisfies Written);
    },

    read(text) {
      const { status, message, headers, plan } = JSON.parse(text) as Written; // written above
      if (!plan) return new ApiError(status, message, { headers });
      return new PlanRefusal(title, plan.reachMs === undefined ? undefined : Date.now() - plan.reachMs);
    },
  };
}

function planIn(error: ApiError): Pick<Written, 'plan'> {
  if (!(error instanceof PlanRefusal)) return {};
  return { plan: error.since === undefined ? {} : { reachMs: Date.now() - error.since } };
}
