import { type CountName, count, observe } from '../metrics.ts';
import { type Transport, TransportError } from './transport.ts';

/** The transport with every request counted by its outcome and timed, the repeated ones too: each spends quota. */
export function measured(transport: Transport, now = () => performance.now()): Transport {
  return {
    async get(path, timeoutMs) {
      const startedAt = now();
      try {
        const answer = await transport.get(path, timeoutMs);
        count(outcomeOf(answer.status));
        return answer;
      } catch (error) {
        const isTimeout = error instanceof TransportError && error.kind === 'timeout';
        count(isTimeout ? 'UpstreamTimedOut' : 'UpstreamFailed');
        throw error;
      } finally {
        observe('UpstreamLatency', Math.round(now() - startedAt));
      }
    },
  };
}

/** The count of an answer with this status. */
export function outcomeOf(status: number): CountName {
  if (status === 200) return 'UpstreamOk';
  if (status === 404) return 'UpstreamNotFound';
  if (status === 429) return 'UpstreamRateLimited';
  // 402, and 400 on older servers: the plan does not include it. A healthy provider says so.
  return status === 400 || status === 402 ? 'UpstreamRefused' : 'UpstreamFailed';
}
