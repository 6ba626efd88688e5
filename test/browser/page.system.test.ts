import { describe, expect, test } from 'vitest';
import { phone, useBrowser, widths } from './browser-test.ts';
import { countPixels, type OpenPage, scrollsOf, untilDrawn } from './open-page.ts';

const opened = useBrowser();

describe('the terminal', () => {
  test('prints the report of a price', async () => {
    const { command, log } = await opened();
    await command('cprice BTC');

    // The time with the date, if that is yesterday's by now.
    expect(await log.innerText()).toMatch(
      /Bitcoin \(BTC\)\s+Price: +\$[\d,.]+\s+24h change: +[+-]?[\d.]+%\s+Market cap: +\$[\d.]+T \(rank #1\)\s+24h volume: +\$[\d.]+B\s+Source: +simulated data, not real prices,\s+as\s+of\s+(\d{4}-\d\d-\d\d\s+)?\d\d:\d\d\s+UTC/,
    );
  });

  test('calls simulated data so at the top of the page too', async () => {
    const { page, command } = await opened();
    const badge = page.getByText('Simulated data, not real prices', { exact: true });
    expect(await badge.isVisible()).toBe(false);
    await command('cprice BTC');
    expect(await badge.isVisible()).toBe(true);
  });

  test('names the search for an unknown symbol, and a click runs it', async () => {
    const { command, log } = await opened();
    await command('cprice NOSUCH');
    expect(await log.innerText()).toContain(
      'Coin "NOSUCH" was not found in CoinPaprika\'s database.\nTry: coinsearch NOSUCH',
    );

    await log.getByRole('button', { name: 'coinsearch NOSUCH' }).click();
    await log.getByText(/^(Coins like|No coin matches) "NOSUCH"/).waitFor();
  });

  test('says what failed and why where there is no network', async () => {
    const { page, command, log } = await opened();
    await page.context().setOffline(true);
    await command('cchart BTC');
    expect(await log.innerText()).toContain(
      'Chart fetch failed for BTC: this machine is offline, or its network is down',
    );
  });

  test('clears its output', async () => {
    const { page, command, log } = await opened();
    await command('help');
    await page.getByLabel('Command').fill('clear');
    await page.keyboard.press('Enter');
    expect(await log.innerText()).toBe('');
  });

  test('keeps its history over a reload', async () => {
    const { page, command } = await opened();
    await command('cprice BTC');
    await page.reload();
    await page.getByLabel('Command').press('ArrowUp');
    expect(await page.getByLabel('Command').inputValue()).toBe('cprice BTC');
  });
});

describe('the analytics panel', () => {
  test('offers three commands while it is empty, and each does what it says', async () => {
    const { page, cards, log } = await opened();
    const empty = page.getByText('No charts yet.');
    await empty.waitFor();
    expect(await page.locator('#suggestions button').allInnerTexts()).toEqual([
      'cchart BTC',
      'cchart ETH --line',
      'coinsearch wrapped ether',
    ]);

    await page.getByRole('button', { name: 'cchart BTC' }).click();
    await untilDrawn(cards);
    await empty.waitFor({ state: 'hidden' });
    await log.getByText('Chart added to the panel.').waitFor();
  });

  test('paints candles in two colours, and a line in a third', async () => {
    const { command, cards } = await opened();
    await command('cchart BTC --candles');
    await command('cchart ETH --line');
    const [candles, line] = [cards.nth(0), cards.nth(1)];
    await untilDrawn(candles);
    await untilDrawn(line);

    await expect.poll(() => countPixels(candles, '--up')).toBeGreaterThan(500);
    await expect.poll(() => countPixels(candles, '--down')).toBeGreaterThan(500);
    await expect.poll(() => countPixels(candles, '--volume-up')).toBeGreaterThan(500);
    expect(await countPixels(candles, '--line')).toBe(0);
    await expect.poll(() => countPixels(line, '--line')).toBeGreaterThan(200);
    expect(await countPixels(line, '--up')).toBe(0);
  });

  test('follows the system from light to dark', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC --candles');
    await untilDrawn(cards);
    await expect.poll(() => countPixels(cards, '--up')).toBeGreaterThan(500);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => countPixels(cards, '--up')).toBeGreaterThan(500);
  });

  test('keeps cards, their order and their view over a reload', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC --limit 7');
    await command('cchart ETH --line');
    await untilDrawn(cards.nth(1));
    await openOptions(cards.nth(1));
    await cards.nth(1).getByRole('button', { name: 'Move up' }).click();
    await page.reload();
    await untilDrawn(cards.nth(1));

    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Ethereum (ETH)', 'Bitcoin (BTC)']);
    await openOptions(cards.nth(0));
    await expectPressed(cards.nth(0), 'Line');
    await openOptions(cards.nth(1));
    expect(await cards.nth(1).getByLabel('Range of Bitcoin (BTC)').inputValue()).toBe('7');
  });

  test('focuses the card of a chart that it shows already', async () => {
    const { page, command, cards, log } = await opened();
    await command('cchart BTC');
    await command('cchart ETH');
    await command('cchart btc-bitcoin --interval 24h --line');

    expect(await cards.count()).toBe(2);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Bitcoin (BTC)',
    );
    await openOptions(cards.nth(0));
    await expectPressed(cards.nth(0), 'Line');
    await log.getByText('The panel shows this chart already.').waitFor();
  });

  test('shows a skeleton of the same height while a chart is on its way', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const height = (await cards.boundingBox())?.height;
    const arrive = await holdBack(page, '**/api/marketdata/ohlcv/**');
    await page.reload();

    await cards.locator('.skeleton').waitFor();
    expect(await cards.getAttribute('aria-busy')).toBe('true');
    expect((await cards.boundingBox())?.height).toBe(height);
    arrive();
    await untilDrawn(cards);
    expect(await cards.locator('.skeleton').isVisible()).toBe(false);
  });

  test('tells a failure in its place, and tries again when asked', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await page.route('**/api/marketdata/ohlcv/**', (route) => route.abort());
    await cards.getByRole('button', { name: 'Refresh' }).click();
    const alert = cards.getByRole('alert');
    await alert.getByText('Chart fetch failed for BTC: Failed to fetch').waitFor();

    await page.unroute('**/api/marketdata/ohlcv/**');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'hidden' });
  });

  test('shows open, high, low, close and volume of the candle under the crosshair', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await page.route('**/api/**', (route) => route.abort()); // a newer price would change the last candle
    const legend = cards.locator('.legend');
    const last = await legend.innerText();
    expect(last).toMatch(
      /^\d+ \w{3}\s+O \$[\d,.]+\s+H \$[\d,.]+\s+L \$[\d,.]+\s+C \$[\d,.]+\s+Vol \$[\d.]+B$/,
    );

    await cards.locator('.chart').hover({ position: { x: 60, y: 60 } });
    await expect.poll(() => legend.innerText()).not.toBe(last);
    await page.mouse.move(0, 0);
    await expect.poll(() => legend.innerText()).toBe(last);
  });

  test('changes style, interval and range, refreshes and removes', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const chart = cards.locator('.chart');
    const label = () => chart.getAttribute('aria-label');
    const asked = page.waitForRequest('**/api/marketdata/ohlcv/btc-bitcoin?interval=7d&limit=26');
    await openOptions(cards);
    await cards.getByLabel('Interval of').selectOption('7 days');
    await asked;
    await expect.poll(label).toContain('26 weekly prices');

    await cards.getByLabel('Range of').selectOption('12 weeks');
    await expect.poll(label).toContain('12 weekly prices');
    await cards.getByRole('button', { name: 'Candles', exact: true }).click();
    await expect.poll(label).toMatch(/^Candlestick chart of Bitcoin \(BTC\), 12 weekly candles, last /);
    await cards.getByRole('button', { name: 'Line', exact: true }).click();
    await expect
      .poll(label)
      .toMatch(/^Line chart of Bitcoin \(BTC\), 12 weekly prices, last \$[\d,.]+, 84d [+-]?\d/);
    await expect.poll(() => countPixels(cards, '--line')).toBeGreaterThan(200);

    await page.keyboard.press('Escape');
    const again = page.waitForRequest('**/api/marketdata/ohlcv/**');
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await again;
    await cards.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No charts yet.').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('marketdata.cards'))).toBe('[]');
  });
});

describe('on a phone', () => {
  test('charts come first, and the field stays at the bottom of the screen', async () => {
    const { page, command, cards } = await opened(phone);
    await command('cchart BTC');
    await command('cchart ETH');
    await untilDrawn(cards.nth(1));
    expect((await cards.nth(0).boundingBox())?.y).toBeLessThan(phone.viewport.height / 4);

    const field = page.getByLabel('Command');
    for (const top of [0, 400, 10_000]) {
      await page.evaluate((to) => scrollTo(0, to), top);
      const box = await field.boundingBox();
      const bottom = (box?.y ?? 0) + (box?.height ?? 0);
      expect(bottom).toBeGreaterThan(phone.viewport.height - 24);
      expect(bottom).toBeLessThan(phone.viewport.height);
    }
  });

  test('the field stays above a keyboard that covers the page', async () => {
    const { page } = await opened(phone);
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: innerHeight - 300 });
      visualViewport?.dispatchEvent(new Event('resize'));
    });
    const box = await page.getByLabel('Command').boundingBox();
    const bottom = (box?.y ?? 0) + (box?.height ?? 0);
    expect(bottom).toBeGreaterThan(phone.viewport.height - 324);
    expect(bottom).toBeLessThan(phone.viewport.height - 300);
  });

  test('a typed price is shown above the field, and read out, while the output is closed', async () => {
    const { page, command, log } = await opened(phone);
    await command('cprice BTC');
    const peek = page.locator('#peek');
    expect(await peek.innerText()).toMatch(
      /^Bitcoin \(BTC\) · Price: +\$[\d,.]+ · 24h change: +[+-]?[\d.]+%/,
    );
    expect(await peek.getAttribute('role')).toBe('status');
    expect(await log.isVisible()).toBe(false);
  });

  test('a failure, a search and help open the output', async () => {
    const { page, command, log } = await opened(phone);
    const toggle = page.getByRole('button', { name: 'Terminal output' });
    for (const line of ['cprice NOSUCH', 'coinsearch bitcoin', 'help']) {
      await command(line);
      await log.getByText(`› ${line}`).waitFor();
      expect(await toggle.getAttribute('aria-expanded')).toBe('true');
      expect(await page.locator('#peek').innerText()).toBe('');
      await toggle.click();
      await log.waitFor({ state: 'hidden' });
    }
  });
});

describe('the output', () => {
  test.each([
    ['a drawer on a phone, closed at first', phone.viewport, 'false'],
    ['a column on a wide screen, open at first', { width: 1440, height: 900 }, 'true'],
  ])('is %s, and stays as it was left', async (_kind, viewport, first) => {
    const { page, log } = await opened({ viewport });
    const toggle = page.getByRole('button', { name: 'Terminal output' });
    expect(await toggle.getAttribute('aria-expanded')).toBe(first);
    await toggle.focus();
    await page.keyboard.press('Enter');
    const second = await toggle.getAttribute('aria-expanded');
    expect(second).not.toBe(first);
    expect(await log.isVisible()).toBe(second === 'true');
    await page.reload();
    await page.locator('body:not(.starting)').waitFor();
    expect(await toggle.getAttribute('aria-expanded')).toBe(second);
    expect(await page.getByLabel('Command').isVisible()).toBe(true);
  });

  test('closes with Escape from inside the drawer, and the focus goes to its button', async () => {
    const { page, log } = await opened(phone);
    const toggle = page.getByRole('button', { name: 'Terminal output' });
    await toggle.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('log');
    await page.keyboard.press('Escape');
    await log.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('toggle-output');
  });
});

describe('the first screen and the charts', () => {
  test('take turns, by two buttons', async () => {
    const { page, command, cards } = await opened();
    const market = page.getByRole('button', { name: 'Market' });
    const charts = page.locator('#show-charts'); // without a role while there are no charts
    const shown = async () => ({
      market: [await market.getAttribute('aria-pressed'), await isShown(page, '#market')],
      charts: [await charts.getAttribute('aria-pressed'), await isShown(page, '#panel')],
    });
    const marketAlone = { market: ['true', true], charts: ['false', false] };
    const chartsAlone = { market: ['false', false], charts: ['true', true] };
    expect(await charts.isVisible()).toBe(false);
    await command('cchart BTC');
    expect(await shown()).toEqual(chartsAlone);
    expect(await charts.innerText()).toBe('Charts (1)');

    await market.focus();
    await page.keyboard.press('Enter');
    expect(await shown()).toEqual(marketAlone);
    await command('cchart btc');
    expect(await shown()).toEqual(chartsAlone);

    await cards.getByRole('button', { name: 'Remove' }).click();
    expect(await shown()).toEqual(marketAlone);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('show-market');
  });
});

// The output is closed at first on a small screen, and open on a large one.
test.each([
  ['small', widths],
  ['large', widths.toReversed()],
])(
  'on a screen that is %s at first nothing scrolls sideways or into emptiness, at any width',
  async (_size, all) => {
    const [first] = all;
    const { page, command, cards } = await opened({ viewport: { width: first ?? 0, height: 800 } });
    const expectNoScrolls = async (part: (width: number) => Promise<void>) => {
      for (const width of all) {
        await page.setViewportSize({ width, height: 800 });
        await expect
          .poll(() => scrollsOf(page), { message: `at ${width} pixels` })
          .toEqual({ sideways: 0, empty: 0 });
        await part(width);
      }
    };
    await expectNoScrolls(async () => {});
    for (const line of ['cprice BTC', 'coinsearch bitcoin', 'help cchart', 'cchart BTC', 'cprice NOSUCH']) {
      await command(line);
    }
    await untilDrawn(cards);
    await expectNoScrolls(async (width) => {
      for (const part of ['#log', '.card', '.panel', '.bar']) {
        const over = () => page.locator(part).evaluate((each) => each.scrollWidth - each.clientWidth);
        await expect.poll(over, { message: `${part} at ${width} pixels` }).toBe(0);
      }
    });
  },
);

async function isShown(page: OpenPage['page'], section: string): Promise<boolean> {
  return await page.locator(section).evaluate((element) => !element.hasAttribute('hidden'));
}

/** Opens the menu of a card. */
async function openOptions(card: OpenPage['cards']): Promise<void> {
  await card.getByRole('button', { name: 'Options of' }).click();
}

async function expectPressed(card: OpenPage['cards'], name: string): Promise<void> {
  expect(await card.getByRole('button', { name, exact: true }).getAttribute('aria-pressed')).toBe('true');
}

/** Keeps answers back until the function that is returned is called. */
async function holdBack(page: OpenPage['page'], url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
