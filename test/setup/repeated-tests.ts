import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Prints the tests that passed only when they were repeated, with what was wrong at first: each waits for something that it does not name. */
export class RepeatedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const repeated = modules.flatMap(({ moduleId, children }) =>
      [...children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => {
          const [error] = test.result().errors ?? [];
          const about = [error?.message, error?.diff].filter(Boolean).join('\n');
          return `${relative(process.cwd(), moduleId)}  ${test.fullName}\n${about.replace(/^/gm, '    ')}`;
        }),
    );
    if (repeated.length === 0) return;
    console.log('\nPassed only when they were repeated');
    for (const test of repeated) console.log(`  ${test}`);
  }
}
