import type { ApiError } from './errors.ts';

/**
 * Writes one failure to the log: its status, its message and what caused it, without stacks, secrets or anything a
 * caller sent. Only in development; elsewhere the logger is not even loaded, because it costs a cold start 10 ms.
 */
export async function logError(
  route: string,
  error: ApiError,
  redact: (text: string) => string,
): Promise<void> {
  if (process.env.NODE_ENV !== 'development') return;
  const { Logger } = await import('@aws-lambda-powertools/logger');
  const cause = error.cause instanceof Error ? error.cause.message : error.cause;
  new Logger({ serviceName: route }).error(redact(error.message), {
    status: error.statusCode,
    ...(typeof cause === 'string' && cause !== error.message ? { cause: redact(cause) } : {}),
  });
}
