import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { clockAt } from '../contract/clock.ts';
import { runProgram } from './program.ts';
import { startService } from './service.ts';

/**
 * A cache before the service that treats a failing one as CloudFront does by default: an expired response goes out as long
 * as the service answers 5xx, here in spite of `stale-if-error=0`, and without its age.
 */
async function startCache(origin: string) {
  const stored = new Map<string, { headers: Record<string, string>; body: string }>();
  const server = createServer(async ({ url = '/' }, response) => {
    const fresh = await fetch(origin + url);
    const { 'content-encoding': _encoding, ...headers } = Object.fromEntries(fresh.headers);
    const isMiss = fresh.status < 500;
    if (isMiss) stored.set(url, { headers, body: await fresh.text() });
    const { headers: own = {}, body = '' } = stored.get(url) ?? {};
    for (const [name, value] of Object.entries(own))
      if (!/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name))
        response.setHeader(name, value);
    response.setHeader('x-cache', `${isMiss ? 'Miss' : 'Hit'} from cloudfront`);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

test('a price that a cache repeats long after its lifetime, while the service fails, is shown with its age', {
  timeout: 60_000,
}, async () => {
  const clock = clockAt(Date.now()); // Node's own `date` header goes by the real clock
  const service = await startService({ execArgv: clock.execArgv });
  onTestFinished(async () => {
    await service.close();
    clock.close();
  });
  const url = await startCache(service.url);
  const run = (at: string, ...options: string[]) =>
    runProgram('cprice', ['BTC', ...options], {
      url: at,
      env: { NODE_OPTIONS: clock.execArgv.join(' ') },
    });
  expect((await run(url)).stdout).toMatch(/^Source: +simulated data, not real prices, as of [\d: -]+UTC$/m);

  clock.moveBy(13 * 3_600_000); // the service has no stale ticker any more either
  service.setFault('status=500');

  const [direct, cached, json] = await Promise.all([run(service.url), run(url), run(url, '--json')]);
  expect(direct).toMatchObject({ code: 4, stderr: expect.stringContaining('CoinPaprika answered 500') });
  expect(cached.stdout).toMatch(
    /^Source: .*, as of [\d: -]+UTC, out of date, 1[34] hours old: the service returned nothing newer$/m,
  );
  expect(json.stderr).toMatch(/^Note: .*, out of date, 1[34] hours old: /);
});
