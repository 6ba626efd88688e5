import { describe, expect, test } from 'vitest';
import { looks, useBrowser } from './browser-test.ts';
import { type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

describe('accessibility', () => {
  test.each([
    ...looks.map(([colorScheme, forcedColors]) => ({ colorScheme, forcedColors, width: 1280 })),
    { colorScheme: 'light', forcedColors: 'none', width: 360 } as const,
  ])(
    'axe-core finds nothing in $colorScheme, forced colours $forcedColors, at $width pixels',
    async (look) => {
      const { width, colorScheme, forcedColors } = look;
      const options = { colorScheme, forcedColors, viewport: { width, height: 800 } };
      const { page, command, cards, allViolations } = await opened(options);
      await page.locator('.sparkline, .coins .name').first().waitFor();
      expect(await allViolations(), 'market').toEqual([]);
      await page.keyboard.press('/');
      await page.keyboard.type('bit');
      await page.locator('.option:visible').first().waitFor();
      expect(await allViolations(), 'search').toEqual([]);
      await page.keyboard.press('Escape');
      for (const line of ['cprice BTC', 'cprice NOSUCH', 'cchart BTC', 'cchart BTC --compare ETH,SOL'])
        await command(line);
      await untilDrawn(cards.nth(1));
      expect(await allViolations(), 'charts and terminal').toEqual([]);
      await page.keyboard.press('Escape');
      for (const [path, ready] of [
        ['/coins/btc-bitcoin', '.coin-page .headline .price'],
        ['/#/watchlist', 'h1'],
        ['/#/portfolio', 'h1'],
        ['/coins/none', '.missing'],
      ] as const) {
        await page.evaluate((url) => history.pushState(null, '', url), path);
        await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
        await page.locator(ready).first().waitFor();
        expect(await allViolations(), path).toEqual([]);
      }
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      expect(await allViolations(), 'settings').toEqual([]);
    },
  );

  test('a coin is found, charted, compared, starred and shared with the keyboard alone', async () => {
    const { page } = await opened({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { keyboard } = page;
    await page.locator('.coins .name').first().waitFor();
    await keyboard.press('/');
    await keyboard.type('bitcoin');
    await page
      .getByRole('option', { name: /Bitcoin BTC/ })
      .first()
      .waitFor();
    await keyboard.press('Enter');
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    await tabUntil(page, 'Bitcoin in the watchlist');
    await keyboard.press('Enter');
    expect(await coin.locator('.star').getAttribute('aria-pressed')).toBe('true');
    await tabUntil(page, '1Y');
    await keyboard.press('Enter');
    await tabUntil(page, 'Options of Bitcoin (BTC)');
    await keyboard.press('Enter');
    await tabUntil(page, 'Copy link');
    await keyboard.press('Enter');
    await page.getByText('Link copied').waitFor();
    await keyboard.press('Escape');
    await tabUntil(page, 'Compare Bitcoin (BTC) with');
    await keyboard.type('ethereum');
    await page
      .getByRole('option', { name: /Ethereum ETH/ })
      .first()
      .waitFor();
    await keyboard.press('Enter');
    await coin.getByRole('button', { name: 'Stop comparing with ETH' }).waitFor();
  });
});

/** Presses Tab until the focus is on what has this label or text. */
async function tabUntil(page: OpenPage['page'], name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
    });
    if (focused === name) return;
  }
  throw new Error(`Tab never reached ${name}`);
}
