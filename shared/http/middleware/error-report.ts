import { ApiError } from '../errors.ts';
import { logError } from '../logger.ts';
import { inputProblemsOf, isValidationFailure } from './input.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';

type Options = { readonly route: string; readonly redact: (text: string) => string };

/**
 * Turns a thrown value into the one error class, and writes our own failures to the log, if there is one.
 *
 * Ordering: inside http-error-handler, which would otherwise answer a plain Error with a bare 500 and no text.
 */
export function errorReport({ route, redact }: Options): PipelineMiddleware {
  const errorReportOnError = async (request: PipelineRequest): Promise<void> => {
    const thrown: unknown = request.error;
    const error = isValidationFailure(thrown) ? inputProblemsOf(thrown) : ApiError.from(thrown);
    request.error = error;
    const { event } = request;
    if (error.statusCode >= 500) await logError({ route, error, event, input: stateOf(event).input, redact });
  };

  return { onError: errorReportOnError };
}
