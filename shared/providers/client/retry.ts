import { ApiError } from '../../http/errors.ts';
import { type HttpAnswer, leftUntil, type Transport, TransportError } from '../../platform/transport.ts';

const RETRY_STATUSES = [502, 503, 504];
const JITTER_MS = { from: 50, to: 250 };

/**
 * The transport with one more try after a broken connection or a 502, 503 or 504, within `timeoutMs`; the first answer
 * stands if its `Retry-After` leaves no time for that, or nobody may ask again.
 */
export function retried(transport: Transport): Transport {
  return {
    async get(path, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const pause = JITTER_MS.from + Math.random() * (JITTER_MS.to - JITTER_MS.from);
      const first = await transport.get(path, timeoutMs).catch((error: unknown) => {
        if (error instanceof TransportError && error.kind === 'connection') return error;
        throw error;
      });
      const waitMs = Math.max(pause, askedPauseMs(first));
      if (isFinal(first) || Date.now() + waitMs >= deadline) return settled(first);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return transport.get(path, leftUntil(deadline)).catch((error: unknown) => {
        if (error instanceof ApiError) return settled(first); // its turn, or its part of the budget, was refused
        throw error;
      });
    },
  };
}

function settled(outcome: HttpAnswer | TransportError): HttpAnswer {
  if (outcome instanceof TransportError) throw outcome;
  return outcome;
}

function isFinal(outcome: HttpAnswer | TransportError): boolean {
  return !(outcome instanceof TransportError) && !RETRY_STATUSES.includes(outcome.status);
}

function askedPauseMs(outcome: HttpAnswer | TransportError): number {
  return outcome instanceof TransportError ? 0 : (retryAfterMs(outcome.headers['retry-after']) ?? 0);
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date (RFC 9110 §10.2.3); undefined if unusable. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
