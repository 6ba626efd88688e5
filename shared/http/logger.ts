import type { Failure } from './error-log.ts';

/** Logs a failure, in development and if `ERROR_TEXTS` says so: what it takes costs the first one 10 ms. */
export async function logError(failure: Failure): Promise<void> {
  if (process.env.NODE_ENV === 'development' || process.env.ERROR_TEXTS === 'on')
    (await import('./error-log.ts')).writeError(failure);
}
