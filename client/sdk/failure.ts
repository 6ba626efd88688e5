interface Details {
  readonly retryAfterSeconds?: number | undefined;
  readonly isAnswer?: boolean;
  readonly headers?: Headers;
  readonly cause?: unknown;
}

/** A request failed: the service returned an error, or did not respond. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The HTTP status; undefined if the service was not reached. */
  readonly status: number | undefined;
  /** False if another server responded, such as a gateway or a service without the route. */
  readonly isAnswer: boolean;
  /** The seconds in `Retry-After`; undefined if the response has none. */
  readonly retryAfterSeconds: number | undefined;
  /** Undefined if the service was not reached. */
  readonly headers: Headers | undefined;

  constructor(status: number | undefined, message: string, details: Details = {}) {
    const { retryAfterSeconds, isAnswer = false, headers, cause } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.isAnswer = isAnswer;
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }
}

/**
 * The message of a thrown value. Node's `fetch` says only `fetch failed` and puts the reason in `cause`, which for a
 * name with two addresses is an AggregateError without a message of its own.
 */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown instanceof AggregateError) {
    const texts = thrown.errors.map((error: unknown) => messageOf(error));
    return texts.length > 0 ? [...new Set(texts)].join('; ') : thrown.message;
  }
  if (thrown.message === 'fetch failed' && thrown.cause !== undefined) return messageOf(thrown.cause);
  return thrown.message || thrown.name;
}
