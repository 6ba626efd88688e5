import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import type { OpenPage } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

const MAX_REQUESTS = 6;
const MAX_SCRIPT_BYTES = 100_000;
const MAX_SHIFT = 0.02;

test.each([
  ['a phone', phone.viewport],
  ['a desktop', { width: 1440, height: 900 }],
])(
  'on %s whose processor is slow nothing moves on the first screen, which takes few requests and bytes',
  async (_device, viewport) => {
    const { page } = await opened({ viewport });
    await page.locator('.sparkline').first().waitFor({ timeout: 40_000 }); // the processes of the service have started
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
    await page.locator('.sparkline').nth(49).waitFor({ state: 'attached' });
    await page.waitForTimeout(500);

    const { shift, requests, scriptBytes } = await measured(page);
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(scriptBytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
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
