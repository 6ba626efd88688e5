import type { Purpose } from '../../coordination/budget.ts';
import { denied, limitedBy, type UpstreamQuota } from '../../coordination/quota.ts';
import type { MarketDataProvider } from '../../marketdata/provider.ts';
import { leftUntil, type Transport } from '../../platform/transport.ts';

/** At most `limit` starts in any second, the others wait; false, at once, if they would for more than `maxWaitMs`. */
export function throttle(limit: number) {
  const starts: number[] = [];

  return async (maxWaitMs: number): Promise<boolean> => {
    const time = performance.now();
    while ((starts[0] ?? time) <= time - 1_000) starts.shift();
    const nthBefore = starts.at(-limit);
    const turn = nthBefore === undefined ? time : Math.max(time, nthBefore + 1_000);
    if (turn - time > maxWaitMs) return false;
    starts.push(turn);
    if (turn > time) await new Promise((resolve) => setTimeout(resolve, turn - time));
    return true;
  };
}

type MayStart = ReturnType<typeof throttle>;

/** The transport with requests at their turn. Throws 429 if the wait would take all of a request's time. */
export function throttled(transport: Transport, mayStart: MayStart, title: string): Transport {
  return {
    async get(path, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      if (!(await mayStart(timeoutMs))) throw limitedBy(title, 1);
      return transport.get(path, leftUntil(deadline));
    },
  };
}

/** The transport with the status that each answer means, whatever its own says. */
export function withStatus(
  transport: Transport,
  { statusOf }: Pick<MarketDataProvider, 'statusOf'>,
): Transport {
  if (!statusOf) return transport;
  return {
    async get(path, timeoutMs) {
      const answer = await transport.get(path, timeoutMs);
      return { ...answer, status: statusOf(answer) };
    },
  };
}

/** The transport with each single request reserved before it is sent, for `client`; 429 if a budget is used up. */
export function reserving(
  transport: Transport,
  quota: UpstreamQuota,
  purpose: Purpose,
  client?: string,
): Transport {
  return {
    async get(path, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const reserved = await quota.reserve(purpose, client);
      if (!reserved.allowed) throw denied(reserved);
      return transport.get(path, leftUntil(deadline));
    },
  };
}
