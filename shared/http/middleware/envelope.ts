import {
  beginRequest,
  type HttpResult,
  type PipelineMiddleware,
  type PipelineRequest,
  type Redact,
  stateOf,
} from './pipeline-request.ts';

/** A HEAD has the headers of the GET and no content (RFC 9110, 9.3.2). */
function contentOf({ event }: PipelineRequest, body: string): string {
  return event.requestContext?.http?.method === 'HEAD' ? '' : body;
}

const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;
const COMMON_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...NO_SNIFFING } as const;

/** The shape of errors, and additional headers of responses. */
export interface AdapterShape {
  /** The content of an error, which is serialized as JSON. */
  failure(status: number, message: string): object;
  /** The status of all errors; by default each error's own. */
  readonly failureStatus?: number;
  /** Derived from our own headers. */
  headersOf?(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
}

interface Options {
  /** Cuts secrets out of an error's text. */
  readonly redact: Redact;
  /** Cuts secrets out of a whole response, which is data. */
  readonly redactData: Redact;
  readonly shape?: AdapterShape;
}

/** The errors of our own envelope. */
export const ownShape: AdapterShape = { failure: (_status, error) => ({ success: false, error }) };

/**
 * `200 {"success":true,"data":…}`, or `{"success":false,"error":"…"}` with the status that http-error-handler gave it and
 * without secrets. An error is never cached.
 *
 * Ordering: around everything that makes a response. Pairs well with http-error-handler right inside.
 */
export function envelope({ redact, shape = ownShape }: Options): PipelineMiddleware {
  const envelopeBefore = (request: PipelineRequest): void => {
    beginRequest(request.event);
  };

  const envelopeAfter = (request: PipelineRequest): void => {
    request.response = {
      statusCode: 200,
      headers: { ...COMMON_HEADERS, ...stateOf(request.event).headers },
      body: contentOf(request, successBody(request.response)),
    };
  };

  const envelopeOnError = async (request: PipelineRequest): Promise<void> => {
    const { statusCode = 500, body = '', headers = {} } = request.response as HttpResult;
    const { 'Content-Type': _plainText, ...own } = headers;
    const known = stateOf(request.event).headers;
    request.response = {
      statusCode: shape.failureStatus ?? statusCode,
      headers: {
        ...known,
        ...shape.headersOf?.(known),
        ...own,
        ...COMMON_HEADERS,
        'cache-control': 'no-store',
      },
      body: contentOf(request, JSON.stringify(shape.failure(statusCode, await redact(body)))),
    };
  };

  return { before: envelopeBefore, after: envelopeAfter, onError: envelopeOnError };
}

/**
 * Replaces the envelope for a route with another protocol: the handler's own response, with secrets redacted and the common
 * headers added. The pipeline's own errors still have the envelope, or the shape of an adapter's errors.
 *
 * Ordering: that of the envelope.
 */
export function wholeAnswer({ redact, redactData, shape }: Options): PipelineMiddleware {
  void redactData(''); // loads the search at init, because every response passes it

  const wholeAnswerAfter = async (request: PipelineRequest): Promise<void> => {
    const { headers, body = '', ...answer } = request.response as HttpResult; // the route's response
    const known = stateOf(request.event).headers;
    const own = { ...known, ...shape?.headersOf?.(known), ...headers };
    request.response = {
      ...answer,
      headers: { ...NO_SNIFFING, 'cache-control': 'no-store', ...own },
      body: contentOf(request, await redactData(body)),
    };
  };

  return { ...envelope({ redact, redactData, ...(shape && { shape }) }), after: wholeAnswerAfter };
}

/** Replaces the envelope for an adapter: whole responses, and all errors in the other API's shape. */
export function shapedAnswer(shape: AdapterShape): typeof envelope {
  return (options) => wholeAnswer({ ...options, shape });
}

// A cached ticker is the same object in every request; serializing it again took a quarter of a warm request.
const bodies = new WeakMap<object, string>();

function successBody(data: unknown): string {
  const known = typeof data === 'object' && data !== null ? bodies.get(data) : undefined;
  if (known !== undefined) return known;
  const body = JSON.stringify({ success: true, data });
  if (typeof data === 'object' && data !== null) bodies.set(data, body);
  return body;
}
