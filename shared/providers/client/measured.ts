import { type CountName, count, recordValue } from '../../platform/metrics.ts';
import { type HttpAnswer, type Transport, TransportError } from '../../platform/transport.ts';

/**
 * The transport with every request counted by its outcome and timed, the repeated ones too: each spends quota.
 * `isLimit` knows the answers that say in the provider's own way what others say with a 429.
 */
export function measured(
  transport: Transport,
  isLimit: (answer: HttpAnswer) => boolean,
  now = () => performance.now(),
): Transport {
  return {
    async get(path, timeoutMs) {
      const startedAt = now();
      const tell = (outcome: CountName) => {
        count(outcome);
        recordValue('UpstreamLatency', Math.round(now() - startedAt));
      };
      try {
        const answer = await transport.get(path, timeoutMs);
        tell(isLimit(answer) ? 'UpstreamRateLimited' : outcomeOf(answer.status));
        return answer;
      } catch (error) {
        // Anything else is a request that was not paid for, and so never made.
        if (error instanceof TransportError)
          tell(error.kind === 'timeout' ? 'UpstreamTimedOut' : 'UpstreamFailed');
        throw error;
      }
    },
  };
}

/** The count of an answer with this status, unless that is a limit's. */
function outcomeOf(status: number): CountName {
  if (status === 200) return 'UpstreamOk';
  if (status === 404) return 'UpstreamNotFound';
  // 402, and 400 on older servers: the plan does not include it. A healthy provider says so.
  return status === 400 || status === 402 ? 'UpstreamRefused' : 'UpstreamFailed';
}
