import { type CountName, count } from './metrics.ts';
import { metricsNamespace, printMetrics } from './metrics-output.ts';
import { withoutSecrets } from './redaction.ts';

/** Writes a line to a job's log for whoever looks after it: what went wrong while the job goes on. It has no secrets. */
export function reportFault(text: string): void {
  process.stderr.write(`${withoutSecrets(text)}\n`);
}

/**
 * The scheduled function, printing its metrics even if it fails: there is no pipeline that would do so. Lambda prints
 * what it throws and keeps it in the dead-letter queue, so that is a new Error with the message alone, without secrets,
 * stack and cause; the texts of its result have no secrets either.
 */
export function scheduled<Result>(
  job: () => Promise<Result>,
  write?: (line: string) => void,
): () => Promise<Result> {
  const namespace = metricsNamespace();
  return async () => {
    try {
      return tellable(await job());
    } catch (error) {
      throw tellableError(error);
    } finally {
      if (namespace) printMetrics(namespace, undefined, write);
    }
  };
}

/**
 * Runs what publishes an object, and counts whether it is up to date now. If not, the count is a zero: an alarm sees that
 * at once, and silence only after a while.
 */
export async function countPublished<Result>(
  name: Extract<CountName, `${string}Published`>,
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

/** As Lambda would make JSON of it. */
function tellable<Result>(result: Result): Result {
  const cut = (_name: string, value: unknown) => (typeof value === 'string' ? withoutSecrets(value) : value);
  // A job's result is made of what JSON can hold, and keeps its shape.
  return result === undefined ? result : (JSON.parse(JSON.stringify(result), cut) as Result);
}

function tellableError(thrown: unknown): Error {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const error = new Error(withoutSecrets(message) || 'The job failed');
  error.stack = `Error: ${error.message}`;
  return error;
}
