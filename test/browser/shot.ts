import { startBrowserServer } from './headless.ts';
import { chromium } from 'playwright-core';
const [, , base = '', out = '', ...rest] = process.argv;
const server = await startBrowserServer();
const browser = await chromium.connect(server.endpoint);
const widths = (rest[1] ?? '1440').split(',').map(Number);
const themes = (rest[2] ?? 'light').split(',') as ('light' | 'dark')[];
for (const colorScheme of themes) for (const width of widths) {
  const page = await browser.newPage({ viewport: { width, height: width < 700 ? 844 : 900 }, colorScheme, locale: 'en-US' });
  page.on('console', (m) => m.type() === 'error' && console.log('console', m.text()));
  page.on('pageerror', (e) => console.log('error', e.message, e.stack?.split('\n').slice(0,3).join(' | ')));
  await page.goto(base + rest[0]);
  await page.waitForTimeout(Number(process.env.WAIT ?? 3500));
  if (process.env.DO) await eval(`(async()=>{${process.env.DO}})()`);
  await page.screenshot({ path: `${out}-${width}-${colorScheme}.png`, fullPage: process.env.FULL === '1' });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) console.log('overflow', width, over);
  await page.close();
}
await browser.close();
await server.close();
