import { metricsNamespace, printMetrics } from './metrics-output.ts';

/**
 * Wraps a scheduled function so that it prints its metrics even if it fails: there is no pipeline that would do so.
 *
 * @example
 * export const handler = withMetrics(async () => publish(await fetchAll()));
 */
export function withMetrics<Result>(
  job: () => Promise<Result>,
  write?: (line: string) => void,
): () => Promise<Result> {
  const namespace = metricsNamespace();
  return async () => {
    try {
      return await job();
    } finally {
      if (namespace) printMetrics(namespace, undefined, write);
    }
  };
}
