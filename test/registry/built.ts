import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';

/** A small registry with its age in hours. */
export function builtRegistry(count: number, ageHours: number, seed = 1) {
  const builtAt = new Date(Date.now() - ageHours * 3_600_000);
  return buildRegistry(simulatedEntries(count, seed), { source: 'test', builtAt });
}
