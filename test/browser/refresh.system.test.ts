import { describe, expect, test } from 'vitest';
import { useBrowser } from './browser-test.ts';
import type { OpenPage } from './open-page.ts';

const opened = useBrowser();
const TICKERS = '**/api/marketdata/tickers?*';
const priceOf = (page: OpenPage['page'], row: number) =>
  page.locator('.coins tbody tr').nth(row).locator('td.price');

/** What the service answers to the market's list, and what a test changes of it. */
interface List {
  maxAge: number;
  /** Prices in US dollars by the place of their coins; the others stay. */
  readonly prices: Record<number, number>;
  isDown: boolean;
  /** Awaited before each response. */
  held: Promise<unknown> | undefined;
  /** Requests so far. */
  requests: number;
}

/** The market with a clock and a list under the test's control. */
async function openMarket(options: Parameters<typeof opened>[0] = {}) {
  const { page } = await opened({ ...options, path: '/licenses.md' });
  const list: List = { maxAge: 70, prices: {}, isDown: false, held: undefined, requests: 0 };
  let text: string | undefined;
  await page.route(TICKERS, async (route) => {
    list.requests += 1;
    await list.held;
    if (list.isDown) return await route.abort();
    text ??= await (await route.fetch()).text();
    const body = JSON.parse(text);
    for (const [place, price] of Object.entries(list.prices))
      body.data.results[place].ticker.quotes.USD.price = price;
    await route.fulfill({
      json: body,
      headers: {
        ...{ date: new Date().toUTCString(), 'cache-control': `public, max-age=${list.maxAge}` },
        ...{ 'x-data-source': 'coinpaprika', 'x-data-quality': 'exact' },
        'x-data-time': new Date().toISOString(),
      },
    });
  });
  await page.clock.install();
  await page.goto(new URL('/', page.url()).href);
  await page.locator('.sparkline').first().waitFor();
  const pass = (seconds: number) => page.clock.fastForward(seconds * 1000);
  /** Waits for the list's request with this number, from 1 on, and until the page has its response. */
  const answered = async (count: number) => {
    await expect.poll(() => list.requests).toBe(count);
    await page.getByRole('button', { name: 'Show more coins' }).waitFor();
  };
  return { page, list, pass, answered };
}

/** Hides the page as another tab in front of it does, or shows it again. */
async function setHidden(page: OpenPage['page'], isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperties(document, {
      hidden: { configurable: true, value: hidden },
      visibilityState: { configurable: true, value: hidden ? 'hidden' : 'visible' },
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

describe('prices are fetched again', () => {
  test('when the response expires, a few seconds after one that has expired, and later after each failure', async () => {
    const { list, pass, answered } = await openMarket();
    await pass(55);
    expect(list.requests).toBe(1);
    list.maxAge = 0;
    await pass(17);
    await answered(2);
    await pass(5);
    expect(list.requests).toBe(2);
    await pass(10);
    await answered(3);
    list.isDown = true;
    await pass(15);
    await answered(4);
    await pass(15);
    await answered(5);
    await pass(20);
    expect(list.requests).toBe(5);
    list.isDown = false;
    await pass(10);
    await answered(6);
  });

  test('never while the page is hidden, at once when it is shown if they are due, and are not called old until then', async () => {
    const { page, list, pass, answered } = await openMarket();
    await page.getByLabel('Currency').selectOption('EUR'); // whose rate expires too
    await priceOf(page, 0).getByText('€').waitFor();
    const all: string[] = [];
    page.on('request', (request) => all.push(request.url()));
    await setHidden(page, true);
    await pass(30);
    expect(all).toEqual([]);
    await setHidden(page, false);
    await page.waitForTimeout(300);
    expect(all.filter((url) => !url.endsWith('/overview'))).toEqual([]); // which may be due by now

    await setHidden(page, true);
    all.length = 0;
    await pass(86_400);
    expect(all).toEqual([]);
    let release = () => {};
    list.held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await setHidden(page, false);
    await expect.poll(() => list.requests).toBe(2);
    await page.waitForTimeout(200);
    expect(await page.locator('.notice').allInnerTexts()).toEqual([]);
    expect(await page.locator('.coins.old').count()).toBe(0);
    release();
    await answered(2);
    await pass(60);
    expect(list.requests).toBe(2);
  });
});

describe('a price that changed', () => {
  /** The tinted texts with the first colour and the length of each tint. */
  const tints = (page: OpenPage['page']) =>
    page.evaluate(() =>
      document.getAnimations().flatMap(({ effect }) => {
        if (!(effect instanceof KeyframeEffect) || !effect.target?.closest('td.price')) return [];
        const [first] = effect.getKeyframes();
        return [[effect.target.textContent, first?.backgroundColor, effect.getTiming().duration]];
      }),
    );

  /** The market with two prices, then with other ones; animations stand still at their beginning. */
  async function changedMarket(reducedMotion: 'reduce' | 'no-preference') {
    const market = await openMarket({ reducedMotion });
    const { page, list, pass } = market;
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    const setRate = (playbackRate: number) => session.send('Animation.setPlaybackRate', { playbackRate });
    await setRate(0);
    Object.assign(list.prices, { 0: 70_000, 1: 3000, 2: 50_000.001 });
    await pass(73);
    await priceOf(page, 0).getByText('$70,000.00').waitFor();
    await setRate(1);
    await expect.poll(() => tints(page)).toEqual([]);
    await setRate(0);
    Object.assign(list.prices, { 0: 70_001, 1: 2999, 2: 50_000.002 });
    await pass(73);
    await priceOf(page, 0).getByText('$70,001.00').waitFor();
    return { ...market, setRate };
  }

  test('tints for 600 ms in the colour of its direction; prices that look the same do not, in any currency', async () => {
    const { page, setRate } = await changedMarket('no-preference');
    expect(await tints(page)).toEqual([
      ['$70,001.00', 'var(--up-tint)', 600],
      ['$2,999.00', 'var(--down-tint)', 600],
    ]);
    await setRate(1);
    await expect.poll(() => tints(page)).toEqual([]);
    await setRate(0);
    await page.getByLabel('Currency').selectOption('EUR');
    await expect.poll(() => priceOf(page, 0).innerText()).toMatch(/^€/);
    expect(await tints(page)).toEqual([]);
  });

  test('does not tint on the first screen', async () => {
    const { page } = await opened({ path: '/licenses.md', reducedMotion: 'no-preference' });
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
    await page.goto(new URL('/', page.url()).href);
    await page.locator('.sparkline').first().waitFor();
    expect(await tints(page)).toEqual([]);
  });

  test('does not tint for readers who prefer less motion', async () => {
    const { page } = await changedMarket('reduce');
    expect(await tints(page)).toEqual([]);
  });
});
