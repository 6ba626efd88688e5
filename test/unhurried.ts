import { onTestFinished, vi } from 'vitest';
import type { Source } from '../shared/coordination/source-limits.ts';

const limits = '../shared/coordination/source-limits.ts';

/** A provider without its pace. */
export function unhurried<Provider extends Pick<Source, 'limits'>>(provider: Provider): Provider {
  return { ...provider, limits: { ...provider.limits, requestsPerSecond: Number.POSITIVE_INFINITY } };
}

/**
 * Removes the pace of all providers, for modules that the test imports from now on: other tests cover the pace, and keeping it
 * takes longer than everything else in a job.
 */
export function withoutPace(): void {
  vi.doMock(
    limits,
    async (original: () => Promise<typeof import('../shared/coordination/source-limits.ts')>) => {
      const actual = await original();
      class Unhurried extends actual.SourceLimits {
        constructor(...[source, ...others]: ConstructorParameters<typeof actual.SourceLimits>) {
          super(unhurried(source), ...others);
        }
      }
      return { ...actual, SourceLimits: Unhurried };
    },
  );
  onTestFinished(() => {
    vi.doUnmock(limits);
    vi.resetModules(); // those that use it
  });
}
