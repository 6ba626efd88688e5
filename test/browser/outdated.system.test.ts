import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type EdgeCache, startEdgeCache } from '../client/edge-cache.ts';
import { type ClientService, startService } from '../client/service.ts';
import { connectBrowser } from './browser-test.ts';
import { openPage, untilDrawn } from './open-page.ts';

const HOUR_MS = 3_600_000;
const OUT_OF_DATE = /, out of date, [3-5] hours old: the service gave no newer answer/;

let service: ClientService;
let browser: Browser;
let cache: EdgeCache;

beforeAll(async () => {
  vi.setConfig({ testTimeout: 120_000 });
  [service, browser] = await Promise.all([startService(), connectBrowser()]);
  cache = await startEdgeCache(service.url);
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await browser.close();
  await cache.close();
  await service.close();
});

it('the page says of prices and charts that a cache goes on giving how old they are', async () => {
  const { page, command, log, cards, problems, close } = await openPage(browser, cache.url);
  await command('cprice BTC');
  await command('cchart BTC');
  await untilDrawn(cards);
  expect(await log.innerText()).not.toContain('out of date');
  expect(await cards.textContent()).not.toContain('out of date');

  const later = Date.now() + 3 * HOUR_MS;
  cache.cutOff(); // before the page asks by itself for what is newer
  vi.useFakeTimers({ toFake: ['Date'], now: later });
  await page.clock.setFixedTime(later);
  await command('cprice BTC');
  await cards.getByRole('button', { name: /^Refresh/ }).click();

  expect(await log.innerText()).toMatch(OUT_OF_DATE);
  await expect.poll(() => cards.locator('.age').innerText()).toMatch(/^[2-4] h old$/);
  await cards.getByRole('button', { name: /^Source of .* · out of date$/ }).click();
  await cards.getByText(OUT_OF_DATE).waitFor();
  expect(problems).toEqual([]);
  await close();
});
