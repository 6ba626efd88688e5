import { ConfigurationError } from '../platform/environment.ts';

/** The only text that callers get about a missing or wrong setting or secret. */
export const WRONG_CONFIGURATION = 'Server configuration error';

/** A failure as the caller sees it. `@middy/http-error-handler` reads `statusCode`, `headers` and `expose`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: number;
  readonly expose = true;
  readonly headers: Readonly<Record<string, string>>;
  /** True if another attempt would fail in the same way, although the status is that of an outage. */
  readonly isLasting: boolean = false;

  constructor(
    statusCode: number,
    message: string,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.statusCode = statusCode;
    this.headers = options.headers ?? {};
  }

  static unauthorized(): ApiError {
    return new ApiError(401, 'Unauthorized');
  }

  static forbidden(): ApiError {
    return new ApiError(403, 'Forbidden');
  }

  static bodyTooLarge(maxBytes: number): ApiError {
    return new ApiError(413, `Request body too large: the limit is ${maxBytes} bytes`);
  }

  static notFound(message: string): ApiError {
    return new ApiError(404, message);
  }

  static unknownCoin(coinId: string): ApiError {
    return ApiError.notFound(`Unknown coin id: ${coinId}`);
  }

  /** 429 that names the limit; `retryAfterSeconds` becomes `Retry-After`. */
  static rateLimited(whose: string, retryAfterSeconds: number): ApiError {
    const seconds = String(Math.max(1, Math.ceil(retryAfterSeconds)));
    return new ApiError(429, `Rate limit exceeded: ${whose}; try again in ${seconds} s`, {
      headers: { 'retry-after': seconds },
    });
  }

  /** 500 that hides the cause from the caller; the development log contains `cause`. */
  static serverConfiguration(cause: string): ApiError {
    return new ApiError(500, WRONG_CONFIGURATION, { cause });
  }

  /** The thrown value as an error for the caller: anything but an ApiError becomes a 500 with its message. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    if (thrown instanceof ConfigurationError) return ApiError.serverConfiguration(thrown.message);
    const message = thrown instanceof Error && thrown.message ? thrown.message : 'Internal server error';
    return new ApiError(500, message, { cause: thrown });
  }
}

/** The 429 for a single client: other clients may continue. */
export class ShareUsedUp extends ApiError {}

/** True for a temporary failure of another service, where an older response is better than the error. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.isLasting) return false;
  return error.statusCode === 429 || error.statusCode > 500;
}
