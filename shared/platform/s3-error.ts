/** What S3 answered against a request, named by its own code, such as `NoSuchKey`. */
export class S3Error extends Error {
  constructor(status: number, code = '') {
    const name = /^\w{1,60}$/.test(code) ? code : '';
    super(`S3 answered ${status}${name && `: ${name}`}`);
    this.name = name || `S3Error${status}`;
  }
}

/** The condition of a change does not hold, because another process has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}
