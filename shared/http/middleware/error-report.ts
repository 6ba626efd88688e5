import { redaction, SHORTEST_KEY } from '../../platform/redaction.ts';
import { ApiError } from '../errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';

type Options = { readonly route: string; readonly redact: (text: string) => string };

/**
 * Turns a thrown value into the one error class. Logs our own failures as one line of JSON without stacks or secrets, in
 * development and if `ERROR_TEXTS` says so.
 *
 * Ordering: inside http-error-handler, which would otherwise answer a plain Error with a bare 500 and no text.
 */
export function errorReport({ route, redact }: Options): PipelineMiddleware {
  const errorReportOnError = async (request: PipelineRequest): Promise<void> => {
    const error = ApiError.from(request.error);
    request.error = error;
    if (error.statusCode < 500) return;
    const { NODE_ENV, ERROR_TEXTS } = process.env;
    if (NODE_ENV !== 'development' && ERROR_TEXTS !== 'on') return;
    const cut = NODE_ENV === 'development' ? redact : withoutInput(request, redact);
    const cause = error.cause instanceof Error ? error.cause.message : error.cause;
    // Loaded only when something is logged: it takes 10 ms.
    const { Logger } = await import('@aws-lambda-powertools/logger');
    new Logger({ serviceName: route }).error(cut(error.message), {
      status: error.statusCode,
      requestId: request.event.requestContext?.requestId, // which the access log has too
      ...(typeof cause === 'string' && cause !== error.message ? { cause: cut(cause) } : {}),
    });
  };

  return { onError: errorReportOnError };
}

/** Cuts what the caller sent as well, because a provider or a node may repeat it. */
function withoutInput({ event }: PipelineRequest, redact: Options['redact']): Options['redact'] {
  const long = textsIn(stateOf(event).input).filter(({ length }) => length >= SHORTEST_KEY);
  return (text) => redaction(long)(redact(text));
}

function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(textsIn) : [];
}
