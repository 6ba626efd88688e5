import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: true }); // rates are published there

const RATES = '**/api/marketdata/rates';
const NO_RATE = 'No exchange rate: prices stay in US dollars.';
const AT_RATE = /; all in EUR at the rate of \d+ \w+(?: \d+)? \(simulated\)/;

/** The requests of a page from now on whose address has that text. */
function countRequests(page: OpenPage['page'], text: string): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.url().includes(text)) count += 1;
  });
  return () => count;
}

const currencyOf = (page: OpenPage['page']) => page.getByLabel('Currency', { exact: true });

describe('the currency', () => {
  test('of all cards changes without asking for candles again, and rates are asked for once', async () => {
    const { page, command, cards } = await opened();
    const rates = countRequests(page, '/rates');
    await command('cchart BTC');
    await command('cchart ETH --line');
    await untilDrawn(cards.nth(1));
    expect(rates()).toBe(0);
    const candles = countRequests(page, '/ohlcv/');

    await currencyOf(page).selectOption('EUR');
    for (const card of [cards.nth(0), cards.nth(1)]) {
      await expect.poll(() => card.locator('.last').innerText()).toMatch(/^€[\d,]+\.\d\d/);
      expect(await card.locator('.legend').innerText()).toMatch(
        /O €[\d,]+\.\d\d\s+H €.+\s+L €.+\s+C €.+\s+Vol €[\d.]+B$/,
      );
      expect(await card.locator('.chart').getAttribute('aria-label')).toMatch(
        / prices, last €[\d,]+\.\d\d, /,
      );
      expect(await card.locator('.source').innerText()).toMatch(AT_RATE);
    }
    await currencyOf(page).selectOption('JPY');
    await expect.poll(() => cards.nth(0).locator('.last').innerText()).toMatch(/^¥[\d,]+\s/);
    await cards.nth(0).locator('.chart').focus();
    await page.keyboard.press('Home');
    expect(await cards.nth(0).locator('.legend').innerText()).toMatch(/C ¥[\d,]+\s+Vol ¥[\d.]+T$/);
    await currencyOf(page).selectOption('USD');
    await expect.poll(() => cards.nth(0).locator('.last').innerText()).toMatch(/^\$[\d,]+\.\d\d/);
    expect(await cards.nth(0).locator('.source').innerText()).not.toContain('rate of');
    expect({ rates: rates(), candles: candles() }).toEqual({ rates: 1, candles: 0 });
  });

  test('is kept over a reload, and is that of typed commands', async () => {
    const { page, command, cards, log } = await opened();
    await command('cchart BTC');
    await currencyOf(page).selectOption('EUR');
    await page.reload();
    await untilDrawn(cards);
    expect(await currencyOf(page).inputValue()).toBe('EUR');
    expect(await cards.locator('.last').innerText()).toMatch(/^€/);

    await command('cprice BTC');
    expect(await log.innerText()).toMatch(/Price: +€[\d,.]+/);
    await command('cprice BTC --currency jpy');
    expect(await log.innerText()).toMatch(/Price: +¥[\d,]+\n/);
    expect(await currencyOf(page).inputValue()).toBe('EUR');
  });

  test('of a typed chart is that of the page from then on', async () => {
    const { page, command, cards, log } = await opened();
    await command('cchart BTC');
    await command('cchart ETH --currency gbp');
    await untilDrawn(cards.nth(1));
    await log.getByText('Chart added to the panel. All its charts are in GBP now.').waitFor();
    expect(await currencyOf(page).inputValue()).toBe('GBP');
    for (const card of [cards.nth(0), cards.nth(1)])
      await expect.poll(() => card.locator('.last').innerText()).toMatch(/^£/);
  });

  test('leaves a chart in bitcoin as it is', async () => {
    const { page, command, cards } = await opened();
    await command('cchart ETH --quote btc');
    await Promise.all([page.waitForResponse(RATES), currencyOf(page).selectOption('EUR')]);
    await untilDrawn(cards);
    expect(await cards.locator('.legend').innerText()).toMatch(/C [\d.]+ BTC\s+Vol \$/);
    expect(await cards.locator('.source').innerText()).not.toContain('EUR');
  });

  test('stays the dollar while there are no rates, which the page says, until there are some', async () => {
    const { page, command, cards, log } = await opened();
    await command('cchart BTC');
    await page.route(RATES, (route) => route.abort());
    await currencyOf(page).selectOption('EUR');
    const note = page.locator('#currency-note');
    await note.getByText(NO_RATE).waitFor();
    expect(await cards.locator('.last').innerText()).toMatch(/^\$/);
    await log.getByText('Exchange rate fetch failed for EUR: Failed to fetch').waitFor();
    await command('cprice BTC');
    expect(await log.innerText()).toMatch(/Price: +\$/);

    await page.unroute(RATES);
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => cards.locator('.last').innerText()).toMatch(/^€/);
    expect(await note.innerText()).toBe('');
  });

  test('is chosen with the keyboard, and told to screen readers', async () => {
    const { page, command, cards, accessibilityProblems } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await currencyOf(page).focus();
    await page.keyboard.press('E'); // the letters of a word must follow each other within a second
    await expect.poll(() => cards.locator('.last').innerText()).toMatch(/^€/);
    expect(await page.locator('#panel-status').innerText()).toMatch(/^All charts in EUR at the rate of /);
    expect(await accessibilityProblems()).toEqual([]);
  });
});

describe.each([
  ['wide', { width: 1280, height: 800 }],
  ['small', phone.viewport],
])('on a %s screen', (_size, viewport) => {
  test('the switch is large enough for a finger, and nothing moves when it changes or fails', async () => {
    const { page, command, cards } = await opened({ viewport });
    await command('cchart BTC');
    await untilDrawn(cards);
    const places = () => Promise.all([cards, currencyOf(page)].map((each) => each.boundingBox()));
    const before = await places();
    expect(before[1]?.height).toBeGreaterThanOrEqual(44);
    expect(before[1]?.width).toBeGreaterThanOrEqual(44);

    await page.route(RATES, (route) => route.abort());
    await currencyOf(page).selectOption('ZAR');
    await page.getByText(NO_RATE).waitFor();
    expect(await places()).toEqual(before);
    expect(await cutOf(page.locator('#currency-note'))).toBeLessThanOrEqual(1);
    await page.unroute(RATES);
    await currencyOf(page).selectOption('IDR');
    await expect.poll(() => cards.locator('.last').innerText()).toMatch(/^Rp /);
    expect(await places()).toEqual(before);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    expect(await cutOf(cards.locator('.source'))).toBeLessThanOrEqual(1);
  });
});

/** By how many pixels a text is higher than its place; letters reach one below their line. */
function cutOf(text: OpenPage['cards']): Promise<number> {
  return text.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
}
