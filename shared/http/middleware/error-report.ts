import { ApiError } from '../errors.ts';
import type { PipelineMiddleware, PipelineRequest, Redact } from './pipeline-request.ts';

type Options = { readonly route: string; readonly redact: Redact };

/**
 * Turns a thrown value into the one error class. Logs our own failures as one line of JSON without stacks or secrets: for a
 * 500 always the error's class and code, and its text in development and if `ERROR_TEXTS` enables it.
 *
 * Ordering: inside http-error-handler, which would otherwise turn a plain Error into a 500 without a text.
 */
export function errorReport({ route, redact }: Options): PipelineMiddleware {
  const errorReportOnError = async (request: PipelineRequest): Promise<void> => {
    const error = ApiError.from(request.error);
    request.error = error;
    if (error.statusCode < 500) return;
    const { NODE_ENV, ERROR_TEXTS } = process.env;
    const texts = NODE_ENV === 'development' || ERROR_TEXTS === 'on';
    if (!texts && (error.statusCode !== 500 || NODE_ENV !== 'production')) return;
    // Loaded only when something is logged: no cold start waits for it.
    const { logFailure } = await import('./failure-log.ts');
    await logFailure(error, { event: request.event, route, redact, texts });
  };

  return { onError: errorReportOnError };
}
