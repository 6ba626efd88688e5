import { redaction, SHORTEST_KEY } from '../../platform/redaction.ts';
import { type ApiError, WRONG_CONFIGURATION } from '../errors.ts';
import { type PipelineRequest, type Redact, stateOf } from './pipeline-request.ts';

interface Options {
  readonly event: PipelineRequest['event'];
  readonly route: string;
  readonly redact: Redact;
  /** Whether the error's text is logged, not only its class and code. */
  readonly texts: boolean;
}

/** Logs a 5xx response as one line of JSON without a stack. */
export async function logFailure(error: ApiError, { event, route, redact, texts }: Options): Promise<void> {
  const known = {
    status: error.statusCode,
    requestId: event.requestContext?.requestId, // also in the access log
    ...classOf(error),
  };
  if (!texts) {
    process.stderr.write(`${JSON.stringify({ level: 'ERROR', service: route, ...known })}\n`);
    return;
  }
  const withoutGiven = process.env.NODE_ENV === 'development' ? unchanged : withoutInput(event);
  const cut = async (text: string) => withoutGiven(await redact(text));
  const cause = error.cause instanceof Error ? error.cause.message : error.cause;
  // Loading it takes 10 ms.
  const { Logger } = await import('@aws-lambda-powertools/logger');
  new Logger({ serviceName: route }).error(await cut(error.message), {
    ...known,
    ...(typeof cause === 'string' && cause !== error.message ? { cause: await cut(cause) } : {}),
  });
}

/** The longest chain of causes that is read, because an error may be its own cause. */
const MAX_CAUSES = 5;

/** The name of the original error, not of ours around it, and the first code in its chain of causes. */
function classOf(error: ApiError): { readonly error: string; readonly code?: string } {
  if (error.message === WRONG_CONFIGURATION) return { error: 'ConfigurationError' };
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < MAX_CAUSES; each = each.cause)
    chain.push(each);
  const thrown = chain.find(({ name }) => name !== 'ApiError') ?? error;
  const code = chain.map((each) => ('code' in each ? String(each.code) : '')).find(isName);
  return { error: isName(thrown.name) ? thrown.name : 'Error', ...(code !== undefined && { code }) };
}

/** Accepts names and codes of libraries, and no text that might contain caller's input. */
const isName = (text: string): boolean => /^[A-Za-z][\w.-]{0,59}$/.test(text) || /^-?\d{1,6}$/.test(text);

const unchanged = (text: string): string => text;

/** Cuts out the caller's input, which an error may name. */
function withoutInput(event: Options['event']): (text: string) => string {
  return redaction(textsIn(stateOf(event).input).filter(({ length }) => length >= SHORTEST_KEY));
}

function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(textsIn) : [];
}
