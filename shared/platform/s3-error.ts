/** What S3 answered against a request, named by its own code, such as `NoSuchKey`. */
export class S3Error extends Error {
  constructor(status: number, code?: string, message?: string) {
    super(`S3 answered ${status}${message ? `: ${message}` : ''}`);
    this.name = code || `S3Error${status}`;
  }
}

/** The condition of a change does not hold, because another process has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}
