import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { looks, useBrowser } from './browser-test.ts';
import { untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: true });

const optionsOf = (card: Locator) => card.getByRole('button', { name: /^Options of/ });

test('from the page’s load to a chart, its range, its menu, and back after removing it: by keys alone', async () => {
  const { page, cards } = await opened();
  await page.clock.install();
  await page.reload();
  const { keyboard } = page;
  await tabTo(page, 'command');
  await keyboard.type('cchart BTC');
  await keyboard.press('Enter');
  await untilDrawn(cards);

  await keyboard.press('Escape');
  await tabTo(page, '1M');
  await keyboard.press('ArrowRight');
  await keyboard.press('Space');
  await cards.getByRole('application', { name: '90 daily' }).waitFor();

  await tabTo(page, 'Options of Bitcoin (BTC)', 'Shift+Tab');
  await keyboard.press('Space');
  await tabTo(page, 'Candles');
  await keyboard.press('Space');
  await cards.getByRole('application', { name: /^Candlestick chart of Bitcoin \(BTC\), 90 daily/ }).waitFor();
  await keyboard.press('Escape');
  expect(await focusedName(page)).toBe('Options of Bitcoin (BTC)');

  await tabTo(page, 'Remove Bitcoin (BTC)', 'Shift+Tab');
  await page.clock.pauseAt(Date.now() + 30_000); // however long the way to it takes, Undo is offered
  await keyboard.press('Enter');
  expect(await cards.count()).toBe(0);
  await page.getByText('Bitcoin removed.').waitFor();
  await tabTo(page, 'Undo');
  await keyboard.press('Enter');
  await page.clock.resume();
  await cards.getByRole('application', { name: /^Candlestick chart of Bitcoin \(BTC\), 90 daily/ }).waitFor();
  expect(await focusedName(page)).toBe('Bitcoin (BTC)');
});

test('the values of coins that are compared are heard as the crosshair moves, and nothing after it is gone', async () => {
  const { page, command, cards } = await opened();
  await command('cchart BTC --compare ETH');
  await untilDrawn(cards);
  const heard = cards.getByRole('status').and(cards.locator('[aria-live="polite"]'));
  await cards.getByRole('application').focus();
  await page.keyboard.press('End');
  await expect
    .poll(() => heard.textContent())
    .toMatch(/^\d+ \w{3}: Bitcoin [+-]?[\d.]+%, Ethereum [+-]?[\d.]+%$/);
  await page.keyboard.press('Escape');
  await expect.poll(() => heard.textContent()).toBe('');
});

describe.each(looks)('in %s with forced colours %s', (colorScheme, forcedColors) => {
  test('axe-core finds nothing on cards, in an open menu and in the open drawer', async () => {
    const viewport = { width: 390, height: 800 };
    const { page, command, cards, allViolations } = await opened({ colorScheme, forcedColors, viewport });
    await page.locator('.coins:not([aria-busy])').waitFor();
    const found = { first: await allViolations() } as Record<string, string[]>;
    await command('cchart BTC');
    await command('cchart ETH --candles');
    await untilDrawn(cards.nth(1));
    found.cards = await allViolations();
    await optionsOf(cards.nth(1)).click();
    await cards.nth(1).getByLabel('Compare Ethereum (ETH) with').waitFor();
    found.menu = await allViolations();
    await page.keyboard.press('Escape');
    const toggle = page.getByRole('button', { name: 'Terminal output' });
    await toggle.click();
    expect(await toggle.getAttribute('aria-expanded')).toBe('true');
    found.drawer = await allViolations();
    expect(found).toEqual({ first: [], cards: [], menu: [], drawer: [] });
  });
});

test('in forced colours what is pressed in a menu looks pressed', async () => {
  const { command, cards } = await opened({ forcedColors: 'active' });
  await command('cchart BTC --line');
  await untilDrawn(cards);
  await optionsOf(cards).click();
  const backgroundOf = (name: string) =>
    cards
      .getByRole('button', { name, exact: true })
      .evaluate((each) => getComputedStyle(each).backgroundColor);
  expect(await backgroundOf('Line')).not.toBe(await backgroundOf('Candles'));
  const plain = await backgroundOf('Log scale');
  await cards.getByRole('button', { name: 'Log scale' }).click();
  await expect.poll(() => backgroundOf('Log scale')).not.toBe(plain);
});

test('on a phone all buttons are large enough for a finger: of a failure, of its undoing, of the settings', async () => {
  const { page, command, cards } = await opened({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.locator('.coins:not([aria-busy])').waitFor();
  expect(await smallTargets(page)).toEqual([]);
  for (const symbol of ['BTC', 'ETH']) await command(`cchart ${symbol}`);
  await untilDrawn(cards.nth(1));
  await page.route('**/api/marketdata/ohlcv/**', (route) => route.abort());
  await cards.nth(0).getByRole('button', { name: '1Y' }).click();
  await cards.nth(0).getByRole('alert').waitFor();
  await optionsOf(cards.nth(1)).click();
  await cards.nth(1).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.getByRole('button', { name: 'Terminal output' }).click();
  expect(await smallTargets(page)).toEqual([]);
  await page.getByRole('button', { name: 'Terminal output' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await smallTargets(page)).toEqual([]);
});

/** Presses Tab until the focus is on what has that label or text or, if it has neither, id. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    if ((await focusedName(page)) === name) return;
  }
  throw new Error(`${key} does not reach ${name}`);
}

function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    return focused?.getAttribute('aria-label') || focused?.textContent || focused?.id || '';
  });
}

/** What is to be touched and smaller than 44 pixels, but for the words of a text (WCAG 2.5.8). */
function smallTargets(page: Page): Promise<string[]> {
  return page.locator('button:visible, select:visible, input:visible').evaluateAll((elements) =>
    elements
      .filter((element) => !element.matches('.line *, input[type="checkbox"]'))
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 44 || height < 44;
      })
      .map((element) => element.outerHTML),
  );
}
