import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser();

describe('accessibility', () => {
  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('axe-core finds nothing serious in %s at %i pixels', async (colorScheme, width) => {
    const { page, command, cards, accessibilityProblems } = await opened({
      colorScheme,
      viewport: { width, height: 800 },
    });
    expect(await accessibilityProblems()).toEqual([]);
    for (const line of [
      'cprice BTC',
      'coinsearch bitcoin',
      'cprice NOSUCH',
      'cchart BTC',
      'cchart ETH --line',
    ]) {
      await command(line);
    }
    await untilDrawn(cards.nth(1));
    await page.route('**/api/marketdata/ohlcv/**', (route) => route.abort());
    await cards.nth(0).getByRole('button', { name: 'Refresh' }).click();
    await cards.nth(0).getByRole('alert').waitFor();
    expect(await accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Settings' }).click();
    expect(await accessibilityProblems()).toEqual([]);
  });

  test('everything can be done with the keyboard alone', async () => {
    const { page, cards, log } = await opened();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);

    // Into the field, past the header, the first screen and the log with its two commands.
    await tabUntil(page, 'command');
    await keyboard.type('cch');
    await keyboard.press('Tab');
    await expect.poll(() => page.getByLabel('Command').inputValue()).toBe('cchart ');
    await keyboard.type('bt');
    await keyboard.press('Tab'); // several coins: as far as they agree, then listed
    await expect.poll(() => page.getByLabel('Command').inputValue()).toMatch(/^cchart BT/);
    await page.getByLabel('Command').fill('cchart btc');
    await keyboard.press('Enter');
    await untilDrawn(cards);
    await keyboard.press('ArrowUp');
    expect(await page.getByLabel('Command').inputValue()).toBe('cchart btc');
    await page.getByLabel('Command').fill('cchart eth');
    await keyboard.press('Enter');
    await untilDrawn(cards.nth(1));

    // Out of a field that is not empty: Escape, then Tab.
    await keyboard.type('cprice');
    await keyboard.press('Escape');
    await keyboard.press('Tab');
    expect(await focused()).not.toBe('command');

    await tabUntil(page, 'Options of Bitcoin (BTC)');
    await keyboard.press('Enter');
    await tabUntil(page, 'Move down Bitcoin (BTC)');
    await keyboard.press('Enter');
    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Ethereum (ETH)', 'Bitcoin (BTC)']);
    expect(await focused()).toBe('Move down Bitcoin (BTC)');
    expect(await page.locator('#panel-status').innerText()).toBe('Bitcoin (BTC) moved to place 2 of 2');
    await keyboard.press('Escape');
    expect(await focused()).toBe('Options of Bitcoin (BTC)');

    // Arrow keys move the crosshair of a focused chart; a newer price would move it back.
    await page.route('**/api/**', (route) => route.abort());
    const legend = cards.nth(1).locator('.legend');
    await tabUntil(page, 'Line chart of Bitcoin');
    const last = await legend.innerText();
    await keyboard.press('Home');
    expect(await legend.innerText()).not.toBe(last);
    await keyboard.press('Escape');
    expect(await legend.innerText()).toBe(last);

    await tabUntil(page, 'Remove Bitcoin (BTC)', 'Shift+Tab');
    await keyboard.press('Enter');
    expect(await cards.count()).toBe(1);
    expect(await focused()).toBe('Ethereum (ETH)');
    await log.focus(); // what scrolls can be scrolled
    expect(await focused()).toBe('Output');
  });

  test('nothing moves while charts load', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await command('cchart ETH');
    await untilDrawn(cards.nth(1));
    await page.addInitScript(() => {
      let shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shift += Number(entry.value);
        document.documentElement.dataset.shift = String(shift);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const viewport of [{ width: 1280, height: 800 }, phone.viewport]) {
      await page.setViewportSize(viewport);
      await page.reload();
      await untilDrawn(cards.nth(1));
      await page.waitForTimeout(300);
      expect(Number(await page.evaluate(() => document.documentElement.dataset.shift ?? 0))).toBeLessThan(
        0.01,
      );
    }
  });
});

/** Presses Tab until the focus is on what has that label or id. */
async function tabUntil(page: OpenPage['page'], label: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.id ?? '';
    });
    if (focused.startsWith(label)) return;
  }
  throw new Error(`Tab does not reach ${label}`);
}
