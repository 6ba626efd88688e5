import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globalSetup: '../test/setup/run-folder.ts', env: { METRICS: 'off' }, testTimeout: 20_000 },
});
