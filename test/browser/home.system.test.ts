import { describe, expect, test } from 'vitest';
import { looks, phone, useBrowser } from './browser-test.ts';
import { type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

const MINUTE_MS = 60_000;
/** Lines that a busy store could not give in time come with the next answer, half a minute later. */
const LINES_WITHIN_MS = 45_000;
const API = '**/api/marketdata/*';

const rowsOf = (page: OpenPage['page']) => page.locator('.coins tbody tr');

/** Waits until the table has its coins, and the market its figures. */
async function untilListed(page: OpenPage['page']): Promise<void> {
  await page.locator('.coins:not([aria-busy])').waitFor();
  await page.locator('.sparkline').nth(19).waitFor({ state: 'attached' });
  await page.locator('.figures:not(:has(.bone))').waitFor(); // of another route
}

describe('the first screen', () => {
  test('tells the market at a glance, and the twenty largest coins in a table', async () => {
    const { page } = await opened({ viewport: { width: 1440, height: 900 } });
    await untilListed(page);
    expect(await page.locator('.figures').innerText()).toMatch(
      /^Market cap\n+\$[\d.]+T\n+24h volume\n+\$[\d.]+B\n+BTC share\n+[\d.]+%\n+ETH share\n+[\d.]+%$/,
    );
    expect(await page.locator('.market-source').innerText()).toMatch(
      // With the date, if that is yesterday's by now.
      /^Source: simulated data, not real prices, as of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC$/,
    );
    expect(await page.getByText('Simulated data, not real prices', { exact: true }).isVisible()).toBe(true);

    const table = page.getByRole('table', { name: 'The 20 largest coins by market cap' });
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual([
      '#',
      'Coin',
      'Price',
      '1h',
      '24h',
      '7d',
      '7 days',
    ]);
    expect(await rowsOf(page).count()).toBe(20);
    expect((await rowsOf(page).nth(0).innerText()).replace(/\s+/g, ' ').trim()).toMatch(
      /^1 BT Bitcoin BTC \$[\d,]+\.\d\d( [+-]?[\d.]+%){3}$/,
    );
    const drawn = () => page.locator('.sparkline path[d^="M"]').count();
    await expect.poll(drawn, { timeout: LINES_WITHIN_MS }).toBe(20);
    for (const title of ['Gainers, 24h', 'Losers, 24h']) {
      const list = page.getByRole('region', { name: title });
      expect(await list.getByRole('button').count()).toBe(5);
    }
  });

  test('adds the chart of a coin by a click anywhere in its row, or by Enter', async () => {
    const { page, cards, log } = await opened();
    await untilListed(page);
    await rowsOf(page)
      .nth(0)
      .click({ position: { x: 700, y: 25 } });
    await untilDrawn(cards);
    await log.getByText('› cchart btc-bitcoin').waitFor();

    await page.getByRole('button', { name: 'Market' }).click();
    await page.getByRole('button', { name: /Ethereum ETH$/ }).focus();
    await page.keyboard.press('Enter');
    await untilDrawn(cards.nth(1));
    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Bitcoin (BTC)', 'Ethereum (ETH)']);
  });

  test('is where it was left when one comes back from a chart', async () => {
    const { page, cards } = await opened(phone);
    await untilListed(page);
    await rowsOf(page).nth(15).click();
    await untilDrawn(cards);
    const top = await page.evaluate(() => scrollY);
    await page.getByRole('button', { name: 'Market' }).click();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(top + 300);
    const box = await rowsOf(page).nth(15).boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(phone.viewport.height);
  });

  test('is where it was left when the chart of a row fails, which was named while it was on its way', async () => {
    const { page, log } = await opened();
    await untilListed(page);
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/marketdata/ohlcv/**', async (route) => {
      await promise;
      await route.abort();
    });
    const ethereum = page.getByRole('button', { name: /Ethereum ETH$/ });
    await ethereum.focus();
    await page.keyboard.press('Enter');
    await page.locator('.card.skeleton').getByText('Loading eth-ethereum …').waitFor();
    resolve();
    await log.getByText('Chart fetch failed for').waitFor();
    await page.locator('#market:not([hidden])').waitFor();
    expect(await ethereum.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test('goes on in the header beside charts, and asks for nothing more', async () => {
    const { page, command } = await opened({ viewport: { width: 1440, height: 900 } });
    await untilListed(page);
    expect(await page.locator('#glance').isVisible()).toBe(false);
    await command('cchart BTC');
    expect((await page.locator('#glance').innerText()).replace(/\s+/g, ' ')).toMatch(
      /^Market cap \$[\d.]+T 24h volume \$[\d.]+B BTC share [\d.]+% as of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC$/,
    );
  });

  test('is in the currency of the page', async () => {
    const { page } = await opened();
    await untilListed(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.getByLabel('Currency').selectOption('EUR');
    const price = rowsOf(page).nth(0).locator('.coin-price');
    await expect.poll(() => price.innerText()).toMatch(/^€[\d,]+\.\d\d$/);
    expect(await page.locator('.figures dd').first().innerText()).toMatch(/^€[\d.]+T$/);
    expect(await page.locator('.market-source').innerText()).toMatch(/; in EUR at the rate of /);
    expect(requests).toEqual(['/api/marketdata/rates']);
    await page.reload();
    await expect.poll(() => price.innerText()).toMatch(/^€/);
  });

  test('is without lines while there are none', async () => {
    const { page } = await opened();
    await page.route('**/api/marketdata/sparklines', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.reload();
    await page.locator('.coins:not([aria-busy])').waitFor();
    expect(await page.locator('.sparkline').count()).toBe(0);
    expect(await page.locator('.market-problem').innerText()).toBe('');
  });

  test('is as high while it loads', async () => {
    const { page } = await opened(phone);
    await untilListed(page);
    const height = () => page.locator('#market').evaluate((element) => element.scrollHeight);
    const before = await height();
    await page.route(API, () => {}); // never answered
    await page.reload();
    await page.locator('.coins[aria-busy]').waitFor();
    expect(await height()).toBe(before);
  });
});

describe('as time passes, the first screen', () => {
  test('asks again when the lifetime of its data ends, and not while nobody sees it', async () => {
    const { page } = await opened();
    await page.clock.install();
    await page.reload();
    await untilListed(page);
    const asked = await countAnswers(page);
    await page.clock.fastForward(12 * MINUTE_MS);
    await expect.poll(asked).toBe(3);

    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.clock.fastForward(60 * MINUTE_MS);
    expect(await asked()).toBe(3);
    await page.evaluate(() => {
      Reflect.deleteProperty(document, 'hidden');
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.clock.fastForward(1000);
    await expect.poll(asked).toBe(6);
  });

  test('grows visibly old where nothing newer comes, under a line that says why', async () => {
    const { page } = await opened();
    await page.clock.install();
    await page.reload();
    await untilListed(page);
    const price = await rowsOf(page).nth(0).locator('.coin-price').innerText();
    await page.route(API, (route) => route.abort());
    await page.clock.fastForward(25 * MINUTE_MS);
    await page.locator('.market-problem').getByText('No newer answer: Failed to fetch.').waitFor();
    await page.clock.fastForward(MINUTE_MS);
    // With the date, if that is yesterday's by now.
    expect(await page.locator('.market-source').innerText()).toMatch(
      /, as of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC, \d\d minutes old$/,
    );
    expect(await rowsOf(page).nth(0).locator('.coin-price').innerText()).toBe(price);

    await page.unroute(API);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.market-problem:empty').waitFor({ state: 'attached' });
    // The problem is gone with the first answer, which may be that of another route.
    await expect.poll(() => page.locator('.market-source').innerText()).not.toContain('old');
  });

  test('says that it has nothing, and tries again when asked', async () => {
    const { page } = await opened();
    await page.route(API, (route) => route.abort());
    await page.reload();
    await page.getByText('The market is not at hand: Failed to fetch.').waitFor();
    expect(await page.locator('.coins').isVisible()).toBe(false);
    await page.unroute(API);
    await page.getByRole('button', { name: 'Try again' }).click();
    await untilListed(page);
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false);
  });
});

describe.each(looks)('in %s with forced colours %s', (colorScheme, forcedColors) => {
  test.each([320, 1440])('axe-core finds nothing serious on the first screen at %i pixels', async (width) => {
    const viewport = { width, height: 900 };
    const { page, accessibilityProblems } = await opened({ colorScheme, forcedColors, viewport });
    await untilListed(page);
    expect(await accessibilityProblems()).toEqual([]);
  });
});

test('in forced colours the view that is shown is marked by the system’s colour of a choice', async () => {
  const { page, command } = await opened({ forcedColors: 'active' });
  await command('cchart BTC');
  const backgroundOf = (id: string) =>
    page.locator(id).evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await backgroundOf('#show-charts')).not.toBe(await backgroundOf('#show-market'));
});

describe.each([320, 360, 768, 1024, 1280, 1440, 1920])('at %i pixels', (width) => {
  test('the first screen fits, and what is to be touched is large enough', async () => {
    const { page, command } = await opened({ viewport: { width, height: 800 } });
    await untilListed(page);
    await page.getByLabel('Currency').selectOption('IDR'); // the longest prices
    await expect.poll(() => rowsOf(page).nth(0).locator('.coin-price').innerText()).toMatch(/^Rp/);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    const small = await page.locator('button:visible, select:visible, #command').evaluateAll((elements) =>
      elements
        .filter((element) => !element.matches('.log *')) // words of a text (WCAG 2.5.8)
        .filter((element) => {
          const { width: across, height } = element.getBoundingClientRect();
          return across < 44 || height < 44;
        })
        .map((element) => element.outerHTML),
    );
    expect(small).toEqual([]);

    await command('cchart BTC');
    const cut = await page
      .locator('.bar, .glance, #simulated')
      .evaluateAll((parts) => parts.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    expect(cut).toEqual([0, 0, 0]);
  });
});

/** Answers of the first screen's routes that the page has read from now on: what it does with them follows at once. */
async function countAnswers(page: OpenPage['page']): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const { text } = Response.prototype;
    const { dataset } = document.documentElement;
    dataset.read = '0';
    Response.prototype.text = async function () {
      const body = await text.call(this);
      if (/\/(overview|tickers|sparklines)\b/.test(this.url)) dataset.read = String(Number(dataset.read) + 1);
      return body;
    };
  });
  return () => page.evaluate(() => Number(document.documentElement.dataset.read));
}
