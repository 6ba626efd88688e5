import { metricsNamespace, printMetrics } from './metrics-output.ts';

/** The scheduled function, printing its metrics even if it fails: there is no pipeline that would do so. */
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
