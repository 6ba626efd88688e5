/// <reference lib="dom" />
/** The page's first screen on a slow processor: its largest paint, later layout shifts, and its bytes. */
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { builtPage } from '../http-api/page.ts';
import { startLocalService } from '../local/service.ts';
import { startBrowserServer } from '../test/browser/headless.ts';
import { conditions, medianOf, table } from './conditions.ts';

/** The factor by which Lighthouse slows a phone's processor. */
const SLOWER = 4;
const DEFAULT_ROUNDS = 7;
const MAX_ROUNDS = 50;
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
/** What each page shows once its data has arrived. */
const pages = { '/': '.sparkline', '/coins/btc-bitcoin': '.chart[aria-busy=false] canvas' };
const targets = { paint: 1000, shift: 0.02, script: 100 };

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: String(DEFAULT_ROUNDS) } },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
  process.stderr.write(`--rounds must be a whole number from 1 to ${MAX_ROUNDS}, not "${values.rounds}"\n`);
  process.exit(2);
}

const machine = conditions(`npm run bench page -- --rounds ${rounds}`);
process.stderr.write('Building and synthesizing …\n');
const service = await startLocalService({
  ...{ quiet: true, page: builtPage, provider: { mode: 'simulated' } },
  store: { history: true },
});
const server = await startBrowserServer();
const browser = await chromium.connect(server.endpoint);
const rows: string[][] = [];
for (const [device, viewport] of Object.entries(screens)) {
  for (const [path, drawn] of Object.entries(pages)) {
    const all = [];
    // The first round starts the service's processes and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const figures = await load(browser, service.url + path, drawn, viewport);
      if (round > 0) all.push(figures);
    }
    const paint = medianOf(all, 'paint');
    const shift = medianOf(all, 'shift');
    const script = medianOf(all, 'script');
    const isReached = paint <= targets.paint && shift <= targets.shift && script <= targets.script;
    rows.push([
      ...[device, path, paint.toFixed(0), shift.toFixed(3), script.toFixed(1)],
      ...[medianOf(all, 'requests').toFixed(0), isReached ? 'reached' : 'MISSED'],
    ]);
  }
}
const titles = ['screen', 'page', 'LCP ms', 'CLS', 'script KB gzip', 'requests', 'targets'];
console.log(`${machine}\n\n${table(titles, rows, 2)}`);
console.log(
  `\nMedians of ${rounds} loads without a cache at 1/${SLOWER} of the processor, from the local service with simulated data; the browser has no GPU. Targets: LCP ≤ ${targets.paint} ms, CLS ≤ ${targets.shift}, script ≤ ${targets.script} KB.`,
);
await browser.close();
await server.close();
await service.close();

async function load(of: Browser, url: string, drawn: string, viewport: { width: number; height: number }) {
  const context = await of.newContext({ viewport, locale: 'en-US' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.addInitScript(() => {
    const state = { paint: 0, shift: 0 };
    Object.assign(globalThis, { state });
    const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    observe('largest-contentful-paint', ({ startTime }) => {
      state.paint = startTime;
    });
    observe('layout-shift', (entry) => {
      state.shift += 'value' in entry ? Number(entry.value) : 0;
    });
  });
  await page.goto(url);
  await page.locator(drawn).first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(500); // for later layout shifts
  const { scripts, ...figures } = await page.evaluate(() => {
    const { state } = globalThis as unknown as { state: { paint: number; shift: number } };
    const urls = performance.getEntriesByType('resource').map(({ name }) => name);
    return { ...state, requests: urls.length + 1, scripts: urls.filter((name) => name.endsWith('.js')) };
  });
  const bodies = await Promise.all(scripts.map(async (script) => (await page.request.get(script)).body()));
  await context.close();
  return { ...figures, script: bodies.reduce((sum, body) => sum + gzipSync(body).length, 0) / 1000 };
}
