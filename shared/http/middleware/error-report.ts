import { ApiError } from '../errors.ts';
import type { PipelineMiddleware, PipelineRequest } from './pipeline-request.ts';

type Options = { readonly route: string; readonly redact: (text: string) => string };

/**
 * Turns a thrown value into the one error class. Logs our own failures as one line of JSON without stacks or secrets: of a
 * 500 always what class of error it was and its code, and the text in development and if `ERROR_TEXTS` says so.
 *
 * Ordering: inside http-error-handler, which would otherwise answer a plain Error with a bare 500 and no text.
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
