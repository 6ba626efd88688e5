/** Writes docs/screenshot.png: the web page of the service that is built, on simulated data, which the page says. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtPage } from '../../local/page.ts';
import { synthesize } from '../../local/prepare.ts';
import { startLocalService } from '../../local/service.ts';
import { startBrowser } from '../../test/browser/headless.ts';

const file = join(import.meta.dirname, '../../docs/screenshot.png');
const commands = [
  'cprice BTC',
  'coinsearch ethereum --limit 5',
  'cchart BTC --limit 60',
  'cchart ETH --line',
];

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
const { browser, close } = await startBrowser();
try {
  const page = await browser.newPage({
    locale: 'en-US',
    viewport: { width: 1280, height: 960 },
    colorScheme: 'dark',
  });
  await page.clock.setFixedTime(Date.now());
  await page.goto(service.url);
  for (const command of commands) {
    await page.getByLabel('Command').fill(command);
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Loading …').waitFor({ state: 'detached' });
  }
  await page.locator('article:not([aria-busy]) canvas').nth(1).waitFor();
  await page.waitForTimeout(500); // the charts' own first frames
  await page.screenshot({ path: file });
  console.log(`Written ${file}`);
} finally {
  await close();
  await service.close();
  await rm(assembly, { recursive: true });
}
