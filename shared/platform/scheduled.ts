import { messageOf } from './message-of.ts';
import { count, type PublishedCount } from './metrics.ts';
import { metricsNamespace, printMetrics } from './metrics-output.ts';
import { dataWithoutSecrets, withoutSecrets } from './redaction.ts';

/** Writes a line without secrets to a job's log: a fault that does not end the job. */
export function reportFault(text: string): void {
  process.stderr.write(`${withoutSecrets(text)}\n`);
}

/**
 * The handler of a scheduled function. It prints metrics even if the job fails. Lambda prints the error and keeps it in the
 * dead-letter queue, so that is a new Error with the message alone, without secrets, stack and cause; the result's texts have no
 * secrets either.
 *
 * A run that reaches the function's time-out prints none: the event in the dead-letter queue and the missing count report it. An
 * earlier end here would keep the container, and the rest of that run would go on within the next one.
 */
export function scheduled<Result>(
  job: () => Promise<Result>,
  write?: (line: string) => void,
): () => Promise<Result> {
  const namespace = metricsNamespace();
  return async () => {
    try {
      return withoutSecretsIn(await job());
    } catch (error) {
      throw errorWithoutSecrets(error);
    } finally {
      if (namespace) printMetrics(namespace, undefined, write);
    }
  };
}

/**
 * Publishes an object, and counts whether it is up to date. If not, the count is a zero, which an alarm sees at once; silence is
 * noticed only after a while.
 */
export async function countPublished<Result>(
  name: PublishedCount,
  publish: () => Promise<Result>,
  isUpToDate: (result: Result) => boolean = () => true,
): Promise<Result> {
  let published = false;
  try {
    const result = await publish();
    published = isUpToDate(result);
    return result;
  } finally {
    count(name, Number(published));
  }
}

/** The result as Lambda's JSON. */
function withoutSecretsIn<Result>(result: Result): Result {
  const cut = (_name: string, value: unknown) =>
    typeof value === 'string' ? dataWithoutSecrets(value) : value;
  // A job's result consists of JSON values and keeps its shape.
  return result === undefined ? result : (JSON.parse(JSON.stringify(result), cut) as Result);
}

function errorWithoutSecrets(thrown: unknown): Error {
  const error = new Error(withoutSecrets(messageOf(thrown)) || 'The job failed');
  error.stack = `Error: ${error.message}`;
  return error;
}
