import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, vi } from 'vitest';
import type {} from '../setup/browser.ts';
import { type OpenPage, openPage } from './open-page.ts';

type Opened = (options?: Parameters<typeof openPage>[2]) => Promise<OpenPage>;

/** The address of the run's browser or service. */
async function addressOf(name: 'browser' | 'service'): Promise<string> {
  const response = await fetch(`${inject('sharedUrl')}/${name}`);
  const address = await response.text();
  if (!response.ok) throw new Error(`No ${name}: ${address}`);
  return address;
}

/** Connects to the browser of the run; closing the connection closes what was opened through it. */
export async function connectBrowser(): Promise<Browser> {
  return await chromium.connect(await addressOf('browser'));
}

/** The screen of a small phone. */
export const phone = { viewport: { width: 360, height: 740 } } as const;

/**
 * Gives the tests of a file the browser and the service of the run. The function opens the page for one test; after the
 * test nothing may have gone wrong in it.
 */
export function useBrowser(): Opened {
  // A browser beside the service's processes on a busy machine takes its time.
  vi.setConfig({ testTimeout: 120_000 });
  let url: string | undefined;
  let browser: Browser | undefined;
  let open: OpenPage | undefined;

  beforeAll(async () => {
    [url, browser] = await Promise.all([addressOf('service'), connectBrowser()]);
    await untilStoreIsRead(url);
  }, 120_000);
  afterEach(async () => {
    const { problems = [] } = open ?? {};
    await open?.close();
    open = undefined;
    expect(problems).toEqual([]);
  });
  afterAll(async () => await browser?.close());

  return async (context = {}) => {
    if (url === undefined || !browser) throw new Error('the page can only be opened inside a test');
    open = await openPage(browser, url, context);
    return open;
  };
}

/** These are served from the store and the registry alone. */
const STORED = [
  'overview',
  'tickers?limit=1',
  'sparklines?limit=1',
  'rates',
  'search?q=bitcoin',
  'convert?amount=1&from=btc-bitcoin&to=usd',
];

/** A process that could not read the store in time has no data for ten seconds, and the page retries a minute later. */
async function untilStoreIsRead(url: string): Promise<void> {
  const statusOf = async (path: string) => (await fetch(`${url}/api/marketdata/${path}`)).status;
  await vi.waitFor(
    async () => expect(await Promise.all(STORED.map(statusOf))).toEqual(STORED.map(() => 200)),
    { timeout: 60_000, interval: 1000 },
  );
}

/** Widths in pixels: phones, a tablet, both sides of the change to two columns, and a desktop. */
export const widths = [320, 390, 768, 1279, 1280, 1920] as const;

/** Whether a button of a card, or of a coin's page, is pressed. */
export const pressed = (place: OpenPage['cards'], name: string) =>
  place.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
