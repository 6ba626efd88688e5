import { onTestFinished, vi } from 'vitest';
import type { MarketDataProvider } from '../shared/marketdata/provider.ts';

const limits = '../shared/coordination/source-limits.ts';

/** The same provider, asked as fast as it answers. */
export function unhurried<Provider extends Pick<MarketDataProvider, 'limits'>>(provider: Provider): Provider {
  return { ...provider, limits: { ...provider.limits, requestsPerSecond: Number.POSITIVE_INFINITY } };
}

/**
 * Lets all providers be asked as fast as they answer until the test ends, by what it imports from now on: their pace is
 * tested elsewhere, and to keep to it takes longer than everything else that a job does.
 */
export function withoutPace(): void {
  vi.doMock(
    limits,
    async (original: () => Promise<typeof import('../shared/coordination/source-limits.ts')>) => {
      const actual = await original();
      const limitsOf: typeof actual.limitsOf = (environment, source, table) => {
        const limits = { requestsPerSecond: Number.POSITIVE_INFINITY };
        return actual.limitsOf(environment, { ...source, limits }, table);
      };
      return { ...actual, limitsOf };
    },
  );
  onTestFinished(() => {
    vi.doUnmock(limits);
    vi.resetModules(); // those that use it
  });
}
