import { expect, it } from 'vitest';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { useTokenWorld } from '../../../test/tokens/world.ts';
import { route } from './route.ts';

useTokenWorld(['btc-bitcoin']);
const served = underTest(route, () => import('./handler.ts'));

it.each([
  ['coins/list', ''],
  ['search', 'query=btc'],
])('no cache keeps %s of a service that has no ids yet', async (path, query) => {
  const { status, headers, body } = await served.send({ path: `/coingecko/api/v3/${path}`, query });
  expect([status, headers['cache-control']]).toEqual([200, expect.stringContaining('max-age=0,')]);
  expect(body).not.toContain('bitcoin');
});
