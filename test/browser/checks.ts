import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { type OpenPage, untilDrawn } from './open-page.ts';

/** The findings of axe-core in each view of the page, by the view's name; views without findings are left out. */
export async function violationsByView(open: OpenPage): Promise<Readonly<Record<string, string[]>>> {
  const { page, command, cards, visit, violations } = open;
  const found: Record<string, string[]> = {};
  const check = async (name: string) => {
    const all = await violations();
    if (all.length > 0) found[name] = all;
  };
  await page.locator('.sparkline, .coins .name').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('bit');
  await page.locator('.option:visible').first().waitFor();
  await check('market and search');
  await page.keyboard.press('Escape');
  for (const line of ['cprice NOSUCH', 'cchart BTC', 'cchart BTC --compare ETH,SOL']) await command(line);
  await untilDrawn(cards.nth(1));
  await check('charts and terminal');
  await page.keyboard.press('Escape');
  for (const [path, ready] of [
    ['/#/watchlist', 'h1'],
    ['/#/portfolio', 'h1'],
    ['/coins/btc-bitcoin', '.coin-page .headline .price'],
    ['/coins/none', '.missing'],
  ] as const) {
    await visit(path);
    await page.locator(ready).first().waitFor();
    if (path === '/coins/none') await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await check(path);
  }
  return found;
}

const MAX_SHIFT = 0.02;

/** The market, and the page of a coin, which also loads the charts' library. */
const screens = {
  '/': { drawn: '.sparkline', requests: 6, scriptBytes: 100_000 },
  '/coins/btc-bitcoin': { drawn: '.chart[aria-busy=false] canvas', requests: 9, scriptBytes: 115_000 },
} as const;

/** Loads an address on a slow processor and checks layout shifts, requests and bytes until its first data is drawn. */
export async function checkFirstScreen({ page }: OpenPage, path: keyof typeof screens): Promise<void> {
  const { drawn, ...limits } = screens[path];
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) shift += Number(entry.value);
      document.documentElement.dataset.shift = String(shift);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(new URL(path, page.url()).href);
  await page.locator(drawn).first().waitFor();
  await page.waitForTimeout(500);

  const { shift, requests, scriptBytes } = await measured(page);
  expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
  expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(limits.requests);
  expect(scriptBytes).toBeLessThanOrEqual(limits.scriptBytes);
}

/** Figures of the page since it began to load; bytes as they are sent, compressed. */
async function measured(page: OpenPage['page']) {
  const { scripts, ...others } = await page.evaluate(() => {
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
  return { ...others, scriptBytes: bytes.reduce((sum, each) => sum + each, 0) };
}
