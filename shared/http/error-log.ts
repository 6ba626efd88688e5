import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { redaction, SHORTEST_KEY } from '../platform/redaction.ts';
import type { ApiError } from './errors.ts';

export interface Failure {
  readonly route: string;
  readonly error: ApiError;
  readonly event: Pick<APIGatewayProxyEventV2, 'requestContext'>;
  /** What the caller asked for: outside of development it is cut too, because a provider or a node may repeat it. */
  readonly input: unknown;
  readonly redact: (text: string) => string;
}

/** Writes a failure without stacks or secrets as one line of JSON. */
export function writeError({ route, error, event, input, redact }: Failure): void {
  const asked = process.env.NODE_ENV === 'development' ? [] : textsIn(input);
  const withoutInput = redaction(asked.filter(({ length }) => length >= SHORTEST_KEY));
  const cut = (text: string) => withoutInput(redact(text));
  const cause = error.cause instanceof Error ? error.cause.message : error.cause;
  new Logger({ serviceName: route }).error(cut(error.message), {
    status: error.statusCode,
    requestId: event.requestContext?.requestId, // which the access log has too
    ...(typeof cause === 'string' && cause !== error.message ? { cause: cut(cause) } : {}),
  });
}

function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(textsIn) : [];
}
