import { envelope } from './envelope.ts';
import {
  type HttpResult,
  type PipelineMiddleware,
  type PipelineRequest,
  stateOf,
} from './pipeline-request.ts';

const COMMON_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/**
 * In place of the envelope, for a route that speaks another protocol: the handler's own answer, without secrets and with
 * the common headers. What the pipeline refuses has the envelope all the same.
 *
 * Ordering: that of the envelope.
 */
export function wholeAnswer({ redact }: { redact: (text: string) => string }): PipelineMiddleware {
  const wholeAnswerAfter = (request: PipelineRequest): void => {
    const { headers, body = '', ...answer } = request.response as HttpResult; // the route's response
    request.response = {
      ...answer,
      headers: { ...COMMON_HEADERS, ...stateOf(request.event).headers, ...headers },
      body: redact(body),
    };
  };

  return { ...envelope({ redact }), after: wholeAnswerAfter };
}
