import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Search' });
const optionsOf = (page: Page) => dialogOf(page).getByRole('option');
const markedOf = (page: Page) => page.locator('.palette [aria-selected=true]');
const statusOf = (page: Page) => dialogOf(page).getByRole('status');

/** Waits until the coins of what was typed are there, with their prices. */
async function untilFound(page: Page): Promise<void> {
  await statusOf(page)
    .getByText(/suggestion/)
    .waitFor();
  await page.locator('.palette .bone').first().waitFor({ state: 'detached' });
}

describe('the palette', () => {
  test('opens a chart by the keyboard alone, and then its card', async () => {
    const { page, cards, log } = await opened();
    await page.keyboard.press('/');
    expect(await fieldOf(page).inputValue()).toBe('');
    await page.keyboard.type('bitc');
    await untilFound(page);
    expect((await markedOf(page).innerText()).replace(/\s+/g, ' ')).toMatch(
      /^BT Bitcoin BTC · rank 1 \$[\d,.]+ 24h [+-]?[\d.]+%$/,
    );
    expect(await fieldOf(page).getAttribute('aria-activedescendant')).toBe(
      await markedOf(page).getAttribute('id'),
    );
    expect(await statusOf(page).innerText()).toContain('Simulated data, not real prices.');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor({ state: 'hidden' });
    await untilDrawn(cards);
    await log.getByText('› cchart btc-bitcoin').waitFor();

    await page.getByRole('button', { name: 'Market' }).click();
    await page.keyboard.press('Control+k');
    await page.getByText('Recent coins').waitFor();
    await page.keyboard.press('Enter'); // the coin that was opened last
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('ARTICLE');
    expect(await cards.count()).toBe(1);
  });

  test('marks with arrow keys, Home and End, and Escape gives the focus back', async () => {
    const { page } = await opened();
    await page.getByLabel('Currency').focus();
    await page.keyboard.press('Control+k');
    await optionsOf(page).first().waitFor();
    const texts = (await optionsOf(page).locator('.name').allInnerTexts()).map((text) => text.trim());
    expect(texts).toEqual(['Market', 'Help', 'Settings', 'Clear']);
    const marked = () => markedOf(page).locator('.name').innerText();
    for (const [key, name] of [
      ['ArrowDown', 'Help'],
      ['End', 'Clear'],
      ['ArrowDown', 'Market'],
      ['ArrowUp', 'Clear'],
      ['Home', 'Market'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await marked()).toBe(name);
    }
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('currency');
  });

  test('leaves what is typed in the command field, and / is a letter there', async () => {
    const { page } = await opened();
    await page.getByLabel('Command', { exact: true }).focus();
    await page.keyboard.type('cprice /');
    await page.keyboard.press('Control+k');
    await fieldOf(page).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Command', { exact: true }).inputValue()).toBe('cprice /');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('command');
  });

  test('runs a command line as it was typed, and finds commands by their words', async () => {
    const { page, log } = await opened();
    await page.keyboard.press('/');
    await page.keyboard.type('cprice eth');
    await page.keyboard.press('Enter');
    await log.getByText('› cprice eth').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('currency eur');
    await untilFound(page); // what is found later would take the place of what is clicked
    await optionsOf(page).getByText('Prices in EUR').click();
    expect(await page.getByLabel('Currency').inputValue()).toBe('EUR');
  });

  test('loses no key while its script is on its way, Enter neither', async () => {
    const { page, cards } = await opened();
    await page.route(/assets\/palette-.*\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('ethereum');
    await page.keyboard.press('Enter');
    await untilDrawn(cards);
    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Ethereum (ETH)']);
  });

  test('asks once for what is typed without a pause, and for all prices at once', async () => {
    const { page } = await opened();
    await page.clock.install();
    await page.reload();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/search')) asked.push(`search ${searchParams.get('q')}`);
      if (pathname.endsWith('/tickers') && searchParams.has('ids')) asked.push('tickers');
    });
    await page.keyboard.press('/');
    await optionsOf(page).first().waitFor();
    await page.clock.pauseAt(Date.now() + 30_000); // no key comes too late
    await page.keyboard.type('wrapped');
    await page.clock.resume();
    await untilFound(page);
    expect(asked).toEqual(['search wrapped', 'tickers']);
    await page.clock.pauseAt(Date.now() + 90_000);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('d');
    await page.clock.resume();
    await untilFound(page);
    expect(asked).toEqual(['search wrapped', 'tickers']);
  });

  test('says inside that it is offline or failed, and goes on by itself', async () => {
    const { page } = await opened();
    await page.keyboard.press('/');
    await optionsOf(page).first().waitFor();
    await page.context().setOffline(true);
    await page.keyboard.type('bitcoin');
    await statusOf(page)
      .getByText('Offline: coins cannot be looked for. Recent coins and commands are here.')
      .waitFor();
    await page.context().setOffline(false);
    await optionsOf(page).getByText('Bitcoin', { exact: true }).waitFor();
    await page.route('**/api/marketdata/search*', (route) => route.abort());
    await page.keyboard.type(' cash');
    await statusOf(page).getByText('Search fetch failed for bitcoin cash: Failed to fetch.').waitFor();
  });

  test('waits for the network with its script', async () => {
    const { page } = await opened();
    await page.context().setOffline(true);
    await page.locator('#offline').waitFor();
    await page.keyboard.press('/');
    await statusOf(page).getByText('Offline: this part of the page is not there yet.').waitFor();
    await page.keyboard.type('clear');
    await page.context().setOffline(false);
    await optionsOf(page).getByText('Run clear').waitFor();
  });

  test('says so if its script does not come', async () => {
    const { page } = await opened();
    await page.route(/assets\/palette-.*\.js/, (route) => route.abort());
    await page.reload();
    await page.keyboard.press('/');
    await statusOf(page).getByText('could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await dialogOf(page).isVisible()).toBe(false);
  });
});

describe.each([
  ['light', 'none', 1280],
  ['dark', 'none', 1280],
  ['light', 'none', 320],
  ['dark', 'none', 320],
  ['light', 'active', 1280],
] as const)('in %s with forced colours %s at %i pixels', (colorScheme, forcedColors, width) => {
  test('axe-core finds nothing serious in the open palette, and it fits', async () => {
    const { page, accessibilityProblems } = await opened({
      colorScheme,
      forcedColors,
      viewport: { width, height: phone.viewport.height },
    });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    expect(await accessibilityProblems()).toEqual([]);
    await page.keyboard.type('bitcoin');
    await untilFound(page);
    expect(await accessibilityProblems()).toEqual([]);
    const over = await page
      .locator('.palette, .palette-list, .option, .names, .bar')
      .evaluateAll(
        (parts) => parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      );
    expect(over).toBe(0);
    const small = await page.locator('.palette button, .palette input, .option, .open-palette').evaluateAll(
      (parts) =>
        parts.filter((part) => {
          const { width: across, height } = part.getBoundingClientRect();
          return across < 44 || height < 44;
        }).length,
    );
    expect(small).toBe(0);
  });
});
