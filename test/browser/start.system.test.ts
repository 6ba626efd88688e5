import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import type { OpenPage } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

const MAX_SHIFT = 0.02;

/** The market, and the page of a coin, which also loads the charts' library. */
const screens = {
  '/': { drawn: '.sparkline', requests: 6, scriptBytes: 100_000 },
  '/coins/btc-bitcoin': { drawn: '.chart[aria-busy=false] canvas', requests: 9, scriptBytes: 115_000 },
} as const;

test.each([
  ['a phone', '/', phone.viewport],
  ['a phone', '/coins/btc-bitcoin', phone.viewport],
  ['a desktop', '/', { width: 1440, height: 900 }],
  ['a desktop', '/coins/btc-bitcoin', { width: 1440, height: 900 }],
] as const)(
  'on %s whose processor is slow nothing moves on the first screen of %s, which takes few requests and bytes',
  async (_device, path, viewport) => {
    const { drawn, ...limits } = screens[path];
    const { page } = await opened({ viewport, path });
    await page.locator(drawn).first().waitFor({ timeout: 40_000 }); // the processes of the service have started
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript(() => {
      let shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shift += Number(entry.value);
        document.documentElement.dataset.shift = String(shift);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.reload();
    await page.locator(drawn).first().waitFor();
    await page.waitForTimeout(500);

    const { shift, requests, scriptBytes } = await measured(page);
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(limits.requests);
    expect(scriptBytes).toBeLessThanOrEqual(limits.scriptBytes);
  },
);

/** Of the page since it began to load; bytes as they are sent, compressed. */
async function measured(page: OpenPage['page']) {
  const { scripts, ...told } = await page.evaluate(() => {
    const { shift = '0' } = document.documentElement.dataset;
    const resources = performance.getEntriesByType('resource').filter(({ name }) => !name.endsWith('.svg'));
    return {
      shift: Number(shift),
      requests: [location.href, ...resources.map(({ name }) => name)],
      scripts: resources.map(({ name }) => name).filter((name) => name.endsWith('.js')),
    };
  });
  const bytes = await Promise.all(
    scripts.map(async (url) => gzipSync(await (await page.request.get(url)).body()).length),
  );
  return { ...told, scriptBytes: bytes.reduce((sum, each) => sum + each, 0) };
}
