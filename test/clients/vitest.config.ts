import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { env: { METRICS: 'off' }, testTimeout: 20_000 } });
