import { redaction, SHORTEST_KEY } from '../../platform/redaction.ts';
import { ApiError, WRONG_CONFIGURATION } from '../errors.ts';
import { type PipelineMiddleware, type PipelineRequest, stateOf } from './pipeline-request.ts';

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
    const known = {
      status: error.statusCode,
      requestId: request.event.requestContext?.requestId, // which the access log has too
      ...classOf(error),
    };
    if (NODE_ENV !== 'development' && ERROR_TEXTS !== 'on') {
      if (error.statusCode === 500 && NODE_ENV === 'production')
        process.stderr.write(`${JSON.stringify({ level: 'ERROR', service: route, ...known })}\n`);
      return;
    }
    const cut = NODE_ENV === 'development' ? redact : withoutInput(request, redact);
    const cause = error.cause instanceof Error ? error.cause.message : error.cause;
    // Loaded only when texts are logged: it takes 10 ms.
    const { Logger } = await import('@aws-lambda-powertools/logger');
    new Logger({ serviceName: route }).error(cut(error.message), {
      ...known,
      ...(typeof cause === 'string' && cause !== error.message ? { cause: cut(cause) } : {}),
    });
  };

  return { onError: errorReportOnError };
}

/** Past this, causes may be their own. */
const MAX_CAUSES = 5;

/** The name of the error that was thrown, not of ours around it, and the first code in its chain of causes. */
function classOf(error: ApiError): { readonly error: string; readonly code?: string } {
  if (error.message === WRONG_CONFIGURATION) return { error: 'ConfigurationError' };
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < MAX_CAUSES; each = each.cause)
    chain.push(each);
  const thrown = chain.find(({ name }) => name !== 'ApiError') ?? error;
  const code = chain.map((each) => ('code' in each ? String(each.code) : '')).find(isName);
  return { error: isName(thrown.name) ? thrown.name : 'Error', ...(code !== undefined && { code }) };
}

/** What a library calls its errors and codes, and no text that might hold what a caller sent. */
const isName = (text: string): boolean => /^[A-Za-z][\w.-]{0,59}$/.test(text) || /^-?\d{1,6}$/.test(text);

/** Cuts what the caller sent as well, because a provider or a node may repeat it. */
function withoutInput({ event }: PipelineRequest, redact: Options['redact']): Options['redact'] {
  const long = textsIn(stateOf(event).input).filter(({ length }) => length >= SHORTEST_KEY);
  return (text) => redaction(long)(redact(text));
}

function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(textsIn) : [];
}
