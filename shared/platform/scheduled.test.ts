import { beforeEach, describe, expect, it } from 'vitest';
import { takeMetrics } from './metrics.ts';
import { countPublished } from './scheduled.ts';

const published = (): unknown => JSON.parse(takeMetrics('n') ?? '{}').MapPublished;

beforeEach(() => {
  takeMetrics('left over');
});

describe('countPublished', () => {
  it('counts a publication, and gives its result', async () => {
    expect(await countPublished('MapPublished', async () => 7)).toBe(7);
    expect(published()).toBe(1);
  });

  it('counts a zero for a run that fails, and throws what it threw', async () => {
    const failing = countPublished('MapPublished', () => Promise.reject(new Error('S3 is away')));
    await expect(failing).rejects.toThrow('S3 is away');
    expect(published()).toBe(0);
  });

  it('counts a zero for a result that leaves the object as old as it was', async () => {
    expect(
      await countPublished(
        'MapPublished',
        async () => 7,
        (result) => result > 7,
      ),
    ).toBe(7);
    expect(published()).toBe(0);
  });
});
