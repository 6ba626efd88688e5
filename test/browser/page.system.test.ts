import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { countPixels, type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser();

describe('the terminal', () => {
  test('prints the report of a price', async () => {
    const { command, log } = await opened();
    await command('cprice BTC');

    expect(await log.innerText()).toMatch(
      /Bitcoin \(BTC\)\s+Price: +\$[\d,.]+\s+24h change: +[+-]?[\d.]+%\s+Market cap: +\$[\d.]+T \(rank #1\)\s+24h volume: +\$[\d.]+B\s+Source: +simulated data, not real prices, as of \d\d:\d\d UTC/,
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

  test('says what failed and why where the service is gone', async () => {
    const { page, command, log } = await opened();
    await page.context().setOffline(true);
    await command('cchart BTC');
    expect(await log.innerText()).toContain('Chart fetch failed for BTC: Failed to fetch');
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
    await command('cchart BTC');
    await command('cchart ETH --line');
    const [candles, line] = [cards.nth(0), cards.nth(1)];
    await untilDrawn(candles);
    await untilDrawn(line);

    expect(await countPixels(candles, '--up')).toBeGreaterThan(500);
    expect(await countPixels(candles, '--down')).toBeGreaterThan(500);
    expect(await countPixels(candles, '--volume')).toBeGreaterThan(500);
    expect(await countPixels(candles, '--line')).toBe(0);
    expect(await countPixels(line, '--line')).toBeGreaterThan(200);
    expect(await countPixels(line, '--up')).toBe(0);
  });

  test('follows the system from light to dark', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const light = await countPixels(cards, '--up');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(200);
    const dark = await countPixels(cards, '--up');

    expect(light).toBeGreaterThan(500);
    expect(dark).toBeGreaterThan(500);
  });

  test('keeps cards, their order and their view over a reload', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC --limit 7');
    await command('cchart ETH --line');
    await untilDrawn(cards.nth(1));
    await cards.nth(1).getByRole('button', { name: 'Move up' }).click();
    await page.reload();
    await untilDrawn(cards.nth(1));

    expect(await cards.getByRole('heading').allInnerTexts()).toEqual(['Ethereum (ETH)', 'Bitcoin (BTC)']);
    await expectPressed(cards.nth(0), 'Line');
    await expectPressed(cards.nth(1), 'Candles');
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
    await alert.getByText('Chart fetch failed for btc-bitcoin: Failed to fetch').waitFor();

    await page.unroute('**/api/marketdata/ohlcv/**');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'hidden' });
  });

  test('shows open, high, low, close and volume of the candle under the crosshair', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
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
    await cards.getByLabel('Interval of').selectOption('7 days');
    await asked;
    await expect.poll(label).toContain('26 weekly candles');

    await cards.getByLabel('Range of').selectOption('12 weeks');
    await expect.poll(label).toContain('12 weekly candles');
    await cards.getByRole('button', { name: 'Line' }).click();
    await expect
      .poll(label)
      .toMatch(/^Line chart of Bitcoin \(BTC\), 12 weekly candles, last \$[\d,.]+, [+-]/);
    await expect.poll(() => countPixels(cards, '--line')).toBeGreaterThan(200);

    const again = page.waitForRequest('**/api/marketdata/ohlcv/**');
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await again;
    await cards.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No charts yet.').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('marketdata.cards'))).toBe('[]');
  });
});

describe('on a phone', () => {
  test('nothing scrolls sideways, and the panel is below the terminal', async () => {
    const { page, command, cards } = await opened(phone);
    for (const line of ['cprice BTC', 'coinsearch bitcoin', 'help cchart', 'cchart BTC', 'cprice NOSUCH']) {
      await command(line);
    }
    await untilDrawn(cards);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    for (const part of ['#log', '.card', '.panel']) {
      expect(await page.locator(part).evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(
        0,
      );
    }
    const terminal = await page.getByRole('region', { name: 'Terminal' }).boundingBox();
    const panel = await page.getByRole('region', { name: 'Analytics' }).boundingBox();
    expect(panel?.y).toBeGreaterThanOrEqual((terminal?.y ?? 0) + (terminal?.height ?? 0));
  });
});

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
