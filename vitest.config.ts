import { defineConfig } from 'vitest/config';

const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ['{functions,shared,infra,local,registry-layer,scripts,test,client}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Lines of metrics among the results would help nobody; the tests of metrics turn them on.
    env: { METRICS: 'off' },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
