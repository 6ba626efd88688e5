import { type HttpAnswer, type Transport, TransportError } from '../../platform/transport.ts';

const RETRY_STATUSES = [502, 503, 504];
const JITTER_MS = { from: 50, to: 250 };

/**
 * GETs with one more try after a broken connection or a 502, 503 or 504, and never after anything else. A
 * `Retry-After` that comes with it is kept to, and where that leaves no time the first answer stands.
 * Both tries and the pause together take at most `timeoutMs`.
 */
export async function getWithRetry(
  transport: Transport,
  path: string,
  timeoutMs: number,
): Promise<HttpAnswer> {
  const deadline = Date.now() + timeoutMs;
  const pause = JITTER_MS.from + Math.random() * (JITTER_MS.to - JITTER_MS.from);
  const first = await transport.get(path, timeoutMs).catch((error: unknown) => {
    if (error instanceof TransportError && error.kind === 'connection') return error;
    throw error;
  });
  const askedPause = first instanceof TransportError ? 0 : retryAfterMs(first.headers['retry-after']);
  const isFinal = !(first instanceof TransportError) && !RETRY_STATUSES.includes(first.status);
  const waitMs = Math.max(pause, askedPause ?? 0);
  if (isFinal || Date.now() + waitMs >= deadline) {
    if (first instanceof TransportError) throw first;
    return first;
  }
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return transport.get(path, Math.max(1, deadline - Date.now()));
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date (RFC 9110 §10.2.3); undefined where unusable. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
