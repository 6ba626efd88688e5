import { count } from '../../platform/metrics.ts';
import { metricsNamespace, printMetrics } from '../../platform/metrics-output.ts';
import type { HttpResult, PipelineMiddleware, PipelineRequest } from './pipeline-request.ts';

type Options = { readonly route: string; readonly write?: (line: string) => void };

let isColdStart = true;

/**
 * Prints one line of metrics for each answer; it holds nothing about the request or the caller.
 *
 * Ordering: outermost, around the envelope, so that every answer has its final status and counts.
 */
export function requestMetrics({ route, write }: Options): PipelineMiddleware {
  const namespace = metricsNamespace();

  const requestMetricsBefore = (): void => {
    if (isColdStart) count('ColdStarts');
    isColdStart = false;
  };

  const requestMetricsAfter = ({ response }: PipelineRequest): void => {
    if (!namespace) return;
    const { statusCode = 500 } = response as HttpResult; // set by the envelope
    const status = statusCode < 400 ? '2xx' : statusCode < 500 ? '4xx' : '5xx';
    // 502 and 504 are the provider's failures; 503 is a lack of money or of a registry that may come back.
    const version = statusCode === 500 && process.env.AWS_LAMBDA_FUNCTION_VERSION;
    printMetrics(namespace, version ? { route, status, version } : { route, status }, write);
  };

  return { before: requestMetricsBefore, after: requestMetricsAfter, onError: requestMetricsAfter };
}
