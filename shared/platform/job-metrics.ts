import { metricsNamespace, printMetrics } from './metrics-output.ts';

/**
 * A scheduled function that prints what was counted and observed in it, also where it fails: it has no chain that
 * would do so.
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
      printMetrics(namespace, undefined, write);
    }
  };
}
