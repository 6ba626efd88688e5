/** Events and results as Lambda carries them: JSON of a limited size (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
import type { GatewayOptions, Outcome } from '../http-api/gateway.ts';

const MAX_PAYLOAD_BYTES = 6_291_556;

/** The outcome of an event in a process of its own. */
export type ProcessOutcome =
  | { readonly kind: 'answer'; readonly payload: string }
  | { readonly kind: 'error' | 'crashed' | 'timed-out' };

export function asJson(
  invoke: (functionId: string, event: string, timeoutMs: number) => Promise<ProcessOutcome>,
  log: (line: string) => void,
): GatewayOptions['invoke'] {
  return async (functionId, event, timeoutMs): Promise<Outcome> => {
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) return { kind: 'too-large' };
    const outcome = await invoke(functionId, text, timeoutMs);
    if (outcome.kind !== 'answer') return outcome;
    if (Buffer.byteLength(outcome.payload) > MAX_PAYLOAD_BYTES) {
      log(`${event.routeKey}: the function returned more than 6 MB`);
      return { kind: 'error' };
    }
    return { kind: 'answer', result: JSON.parse(outcome.payload) };
  };
}
