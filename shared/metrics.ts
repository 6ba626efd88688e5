/** Counts that CloudWatch turns into metrics; numbers only, nothing of a caller. */
export type Count =
  | 'RegistryUnavailable'
  | 'RegistryRefreshed'
  | 'RegistryRefreshRefused'
  | 'RegistryRefreshFailed'
  | 'SnapshotRefreshed'
  | 'SnapshotRefreshFailed'
  | 'SnapshotOutdated'
  | 'SnapshotPublished'
  | 'SnapshotNotPublished'
  | 'SnapshotRowUnreadable';

const NAMESPACE = 'MarketData';

/**
 * Writes one count in CloudWatch's embedded metric format, in production only: elsewhere nobody reads it.
 * Format: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function count(name: Count): void {
  if (process.env.NODE_ENV !== 'production') return;
  const metrics = [{ Namespace: NAMESPACE, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }];
  process.stdout.write(
    `${JSON.stringify({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: metrics }, [name]: 1 })}\n`,
  );
}
