import { defineConfig } from 'vitest/config';
import { RepeatedTests } from './test/setup/repeated-tests.ts';
import { SlowestFiles } from './test/setup/slowest-files.ts';

const folders = '{functions,shared,infra,local,registry-layer,scripts,test,client}';
/** Tests that need the build, the service, a function's process, a browser, a chain or the table say so by their name. */
const system = `${folders}/**/*.system.test.ts`;
/** With an install of its own: `npm run test:exchanges`. */
const exchanges = 'test/exchanges/**';
const { TEST_REPORT: report } = process.env;

export default defineConfig({
  test: {
    hookTimeout: 60_000,
    testTimeout: 20_000,
    // What is waited for takes its time on a busy machine: the default of a second is too short for it.
    expect: { poll: { timeout: 15_000 } },
    // Lines of metrics among the results would help nobody; the tests of metrics turn them on.
    env: { METRICS: 'off' },
    globalSetup: 'test/setup/run-folder.ts',
    reporters: ['default', ...(report ? ['json'] : []), new SlowestFiles(), new RepeatedTests()],
    ...(report && { outputFile: { json: report } }),
    // A file's modules serve the next file of its worker: to import the CDK and the SDK anew for each takes longer
    // than most tests. So whatever a test sets outside of itself, it has to set back.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${folders}/**/*.test.ts`],
          exclude: [system, exchanges],
          maxWorkers: '100%', // by default one core is left free
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // They mostly wait, for processes and for time to pass, so there may be more of them than cores.
        test: {
          name: 'system',
          include: [system],
          exclude: [exchanges],
          maxWorkers: 4,
          // Any process may stand still for seconds meanwhile; those that need it are listed at the end.
          retry: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
