import type { ApiError } from './errors.ts';

type Redact = (text: string) => string;

/** Logs a failure without stacks or secrets; in development alone, because the logger costs a cold start 10 ms. */
export async function logError(route: string, error: ApiError, redact: Redact): Promise<void> {
  if (process.env.NODE_ENV !== 'development') return;
  const { Logger } = await import('@aws-lambda-powertools/logger');
  const cause = error.cause instanceof Error ? error.cause.message : error.cause;
  new Logger({ serviceName: route }).error(redact(error.message), {
    status: error.statusCode,
    ...(typeof cause === 'string' && cause !== error.message ? { cause: redact(cause) } : {}),
  });
}
