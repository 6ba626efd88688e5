import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { stageConfig } from '../../infra/config.ts';
import { edgeConfigOf } from './synthesized.ts';

const { throttle, reserveConcurrency } = stageConfig('prod');
const { firewall } = edgeConfigOf('prod');
const perAddress = firewall ? firewall.requestsPerFiveMinutes / 300 : Number.POSITIVE_INFINITY;
/** Lambda takes ten requests a second for each container, however short they are (Lambda quotas). */
const ofRoutes = routes.map(({ maxConcurrency }) => 10 * maxConcurrency);
const ofAllRoutes = ofRoutes.reduce((sum, requests) => sum + requests, 0);

describe('the walls of prod, in requests a second', () => {
  test('a flood fills the containers of its route before it fills the gateway for everybody', () => {
    expect(reserveConcurrency).toBe(true);
    expect(throttle.requestsPerSecond).toBeGreaterThan(ofAllRoutes);
  });

  test('four hundred addresses at the firewall’s limit leave room at the gateway', () => {
    expect(400 * perAddress).toBeLessThan(throttle.requestsPerSecond);
  });

  test('the gateway’s limit is one that an account has by default, and leaves half of it to others', () => {
    expect(throttle.requestsPerSecond).toBeLessThanOrEqual(10_000 / 2);
    expect(throttle.burst).toBeLessThanOrEqual(5_000);
  });

  test('are those of the table in docs/growth.md', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/growth.md'), 'utf8');
    const written = (value: number) => Math.round(value).toLocaleString('en-US');

    expect(document).toContain(`| one address | ${perAddress.toFixed(1)} a second |`);
    expect(document).toContain(`| all callers | ${written(throttle.requestsPerSecond)} a second |`);
    expect(document).toContain(
      `${Math.min(...ofRoutes)} to ${Math.max(...ofRoutes)} a second, all routes ${written(ofAllRoutes)} |`,
    );
    expect(document).toContain(`it takes ${written(Math.max(...ofRoutes) / perAddress)} addresses`);
    expect(document).toContain(`and ${written(throttle.requestsPerSecond / perAddress)} to fill the gateway`);
  });
});
