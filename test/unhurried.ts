import { onTestFinished, vi } from 'vitest';
import type { MarketDataProvider } from '../shared/marketdata/provider.ts';

const pace = '../shared/coordination/pace.ts';
const limits = '../shared/providers/client/limits.ts';

/** The same provider, asked as fast as it answers. */
export function unhurried<Provider extends MarketDataProvider>(provider: Provider): Provider {
  return { ...provider, limits: { ...provider.limits, requestsPerSecond: Number.POSITIVE_INFINITY } };
}

/**
 * Lets all providers be asked as fast as they answer until the test ends, by what it imports from now on: their pace is
 * tested elsewhere, and to keep to it takes longer than everything else that a job does.
 */
export function withoutPace(): void {
  vi.doMock(pace, async (original: () => Promise<typeof import('../shared/coordination/pace.ts')>) => {
    const actual = await original();
    const paceOf: typeof actual.paceOf = (environment, { name, limits }, table) =>
      actual.paceOf(
        environment,
        { name, limits: { ...limits, requestsPerSecond: Number.POSITIVE_INFINITY } },
        table,
      );
    return { ...actual, paceOf };
  });
  vi.doMock(
    limits,
    async (original: () => Promise<typeof import('../shared/providers/client/limits.ts')>) => ({
      ...(await original()),
      throttle: () => async () => true,
    }),
  );
  onTestFinished(() => {
    for (const path of [pace, limits]) vi.doUnmock(path);
    vi.resetModules(); // those that use it
  });
}
