/** The metrics that the container under test has counted since they were last taken. */
export async function counted() {
  const { takeMetrics } = await import('../shared/platform/metrics.ts');
  return JSON.parse(takeMetrics('n') ?? '{}');
}
