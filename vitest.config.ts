import { defineConfig } from 'vitest/config';
import { SlowestFiles } from './test/setup/slowest-files.ts';

const folders = '{functions,shared,infra,http-api,local,server,registry-layer,scripts,test,client}';
/** What a test needs stands in its name; a name without such a word is a unit test. */
const named = (kind: string) => `${folders}/**/*.${kind}.test.ts`;
/** Tests with an install of their own: `npm run test:clients`. */
const clients = 'test/clients/**';
/** These do more in the project `long`: see test/setup/long.ts. */
const longer = [
  'client/cli/chart/{chart,compare}.test.ts',
  'functions/{faucet/logic/crashes,uniswap/{quote,random-swaps}}.system.test.ts',
  'shared/platform/redaction.test.ts',
  'test/client/{package,serve}.system.test.ts',
  'test/coordination/service.system.test.ts',
  'test/frozen/frozen.system.test.ts',
  'test/damage/damage.simulation.test.ts',
  'test/history/any-runs.simulation.test.ts',
  'test/history/roll-up.simulation.test.ts',
  'test/marketdata/oracle.simulation.test.ts',
  'test/infra/validation.simulation.test.ts',
  'test/pipeline/any-request.test.ts',
  'test/providers/hostile-exchanges.simulation.test.ts',
  'test/secrets/canary.system.test.ts',
  'test/sources/mapping.simulation.test.ts',
];
const { TEST_REPORT: report } = process.env;

export default defineConfig({
  test: {
    hookTimeout: 60_000,
    testTimeout: 20_000,
    // A poll returns as soon as its condition holds; the limit is for a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Lines of metrics among the results would help nobody; the tests of metrics turn them on.
    env: { METRICS: 'off' },
    globalSetup: 'test/setup/run-folder.ts',
    reporters: ['default', ...(report ? ['json'] : []), new SlowestFiles()],
    ...(report && { outputFile: { json: report } }),
    // The files of a worker share their modules: to import the CDK and the SDK anew for each file takes longer than most
    // tests. So a test restores whatever it sets outside of itself.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${folders}/**/*.test.ts`],
          exclude: [...['simulation', 'system', 'long'].map(named), clients],
          maxWorkers: 4, // a third of the time they wait: for loopback, timeouts and processes
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Days of jobs, kills at every write, and every stage's template: in one process, but seconds of work.
        test: {
          name: 'simulation',
          include: [named('simulation')],
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // The service, a browser, a chain or the table, in processes of their own.
        test: {
          name: 'system',
          include: [named('system')],
          globalSetup: ['test/setup/browser.ts', 'test/setup/programs.ts'],
          maxWorkers: 6, // they mostly wait, so there may be more of them than cores
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        // `npm run test:long`, every night and before a release: what takes minutes, and what tries many more random cases
        // or older versions of Node than the other projects do.
        test: {
          name: 'long',
          include: [named('long'), ...longer],
          globalSetup: ['test/setup/browser.ts', 'test/setup/programs.ts'],
          env: { TEST_LONG: 'on' },
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
