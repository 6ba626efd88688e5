/**
 * Writes docs/screenshot.png, the first screen in light, docs/screenshot-coin.png, a coin's page in dark, and
 * docs/terminal.svg, a price and a chart in a terminal: of the service that is built, on simulated data, as each says.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { builtPage } from '../../local/page.ts';
import { synthesize } from '../../local/prepare.ts';
import { startLocalService } from '../../local/service.ts';
import { startBrowserServer } from '../../test/browser/headless.ts';
import { terminalPicture } from './terminal-picture.ts';

const folder = join(import.meta.dirname, '../../docs');
const assembly = await mkdtemp(join(tmpdir(), 'marketdata-screenshot-'));
await synthesize('dev', assembly);
const service = await startLocalService({
  assembly,
  provider: { mode: 'simulated' },
  store: { history: true },
  page: builtPage,
  execArgv: process.execArgv,
  quiet: true,
});
const server = await startBrowserServer();
const browser = await chromium.connect(server.endpoint);
try {
  const page = await browser.newPage({
    locale: 'en-US',
    viewport: { width: 1440, height: 1080 },
    colorScheme: 'light',
  });
  await page.clock.setFixedTime(Date.now());
  await page.goto(service.url);
  await page.locator('.sparkline path[d^="M"]').nth(19).waitFor({ state: 'attached' });
  await write('screenshot.png');

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('a[href="/coins/btc-bitcoin"]').first().click();
  await page.locator('.chart[aria-busy=false] canvas').first().waitFor();
  await page.locator('.badge').getByText('exchanges agree').waitFor();
  await page.waitForTimeout(500); // the chart's own first frames
  await write('screenshot-coin.png');

  const lines = [
    ['cprice', 'BTC'],
    ['cchart', 'BTC', '--range', '3m'],
  ] as const;
  const path = join(folder, 'terminal.svg');
  await writeFile(path, await terminalPicture(lines, 96, { MARKETDATA_URL: service.url }));
  console.log(`Written ${path}`);

  async function write(name: string): Promise<void> {
    const path = join(folder, name);
    await page.screenshot({ path });
    console.log(`Written ${path}`);
  }
} finally {
  await browser.close();
  await server.close();
  await service.close();
  await rm(assembly, { recursive: true });
}
