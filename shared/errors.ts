/** A failure that the caller is told about: its status, its text, and headers that belong to it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.headers = options.headers ?? {};
  }

  /** 500 that hides which secret is missing; the name is only in `cause`, for the development log. */
  static serverConfiguration(cause: string): ApiError {
    return new ApiError(500, 'Server configuration error', { cause });
  }
}
