import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtPage } from '../../http-api/page.ts';
import { phone, pressed, useBrowser, widths } from './browser-test.ts';
import { countPixels, scrollsOf, untilDrawn } from './open-page.ts';

const opened = useBrowser();

describe('charts side by side', () => {
  test('are those of the address, follow and change it, and are removed with a way back', async () => {
    const { page, cards } = await opened({ path: '/#BTC,ETH:line:1y' });
    await untilDrawn(cards.nth(1));
    expect(await pressed(cards.nth(1), 'Line')).toBe('true');
    expect(await pressed(cards.nth(1), '1Y')).toBe('true');
    await cards.nth(1).getByRole('button', { name: 'Move Ethereum (ETH) up' }).click();
    await expect.poll(() => page.url()).toMatch(/#ETH:line:1y,BTC$/);
    await cards.nth(1).getByRole('button', { name: '7D', exact: true }).click();
    await expect.poll(() => page.url()).toMatch(/#ETH:line:1y,BTC:7d$/);
    await page.goBack();
    await expect.poll(() => pressed(cards.nth(1), '1M')).toBe('true');
    await page.reload();
    await untilDrawn(cards.nth(1));
    expect(await cards.locator('.coin-link .name').allInnerTexts()).toEqual(['Ethereum', 'Bitcoin']);
    for (const name of ['Ethereum (ETH)', 'Bitcoin (BTC)'])
      await cards.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByText('No charts yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilDrawn(cards);
    expect(page.url()).toMatch(/#BTC$/);
  });

  test('paint candles in two colours and a line in a third, in both themes, and show the values under the crosshair', async () => {
    const { page, cards } = await opened({ path: '/#BTC:candles,ETH:line' });
    const [candles, line] = [cards.nth(0), cards.nth(1)];
    await untilDrawn(line);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const variable of ['--up', '--down'])
        await expect.poll(() => countPixels(candles, variable)).toBeGreaterThan(300);
      expect(await countPixels(candles, '--line')).toBe(0);
      await expect.poll(() => countPixels(line, '--line')).toBeGreaterThan(200);
    }

    const legend = candles.locator('.legend');
    const last = await legend.innerText();
    expect(last).toMatch(
      /^\d+ \w{3}\s+O \$[\d,.]+\s+H \$[\d,.]+\s+L \$[\d,.]+\s+C \$[\d,.]+\s+Vol \$[\d.]+B$/,
    );
    await candles.locator('.frame').hover({ position: { x: 60, y: 60 } });
    await expect.poll(() => legend.innerText()).not.toBe(last);
    await page.mouse.move(0, 0);
    await candles.getByRole('application').focus();
    await page.keyboard.press('Home');
    await expect
      .poll(() => page.locator('p.visually-hidden[role=status]').innerText())
      .toMatch(/^\d+ \w{3}: open \$/);
  });

  test("show a failure in place of another range's candles, and above the old candles after a failed refresh", async () => {
    const { page, cards } = await opened({ path: '/#LTC' });
    await untilDrawn(cards);
    const candles = '**/api/marketdata/ohlcv/**';
    const json = { success: false, error: 'CoinPaprika answered 500' };
    await page.route(candles, (route) => route.fulfill({ status: 502, json }));
    await cards.getByRole('button', { name: '1D', exact: true }).click();
    const alert = cards
      .getByRole('alert')
      .filter({ hasText: 'Chart fetch failed for LTC: CoinPaprika answered 500' });
    await alert.waitFor();
    expect(await cards.locator('canvas').first().isVisible()).toBe(false);
    expect(await pressed(cards, '1D')).toBe('true');
    await page.unroute(candles);
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'detached' });
    await cards.getByRole('application', { name: / candles of 1h,/ }).waitFor();

    await page.route(candles, (route) => route.abort());
    await cards.getByRole('button', { name: 'Options of Litecoin (LTC)' }).click();
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await cards.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
    expect(await cards.locator('canvas').first().isVisible()).toBe(true);
  });

  test('fit any width, in two columns from 1,280 on, below a note about invalid parts of the address', async () => {
    const { page, cards } = await opened({ path: '/#BTC,ETH,SOL+BTC,XRP,NOSUCH,ETH:nonsense' });
    await untilDrawn(cards.nth(3));
    const notice = page.getByRole('alert');
    await notice.getByText('Coin "NOSUCH" was not found').waitFor();
    expect(await notice.innerText()).toContain('One card of this address could not be read.');
    expect(await cards.count()).toBe(4);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => scrollsOf(page), { message: `at ${width} pixels` })
        .toEqual({ sideways: 0, empty: 0 });
      const [first, second] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
      expect(first?.y === second?.y, `at ${width} pixels`).toBe(width >= 1280);
    }
  });
});

const { paths } = JSON.parse(readFileSync(join(builtPage, 'openapi.json'), 'utf8'));
const operations = Object.values<object>(paths).flatMap((item) => Object.keys(item));

test('the API reference lists every operation with sample requests, sends one, and is accessible on a phone', async () => {
  const { page, violations } = await opened({
    path: '/docs#/marketdata/marketdataTicker',
    colorScheme: 'dark',
    ...phone,
  });
  const operation = page.locator('#operations-marketdata-marketdataTicker');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = operation.locator('.live-responses-table .response');
  await response.getByText('"btc-bitcoin"').first().waitFor();
  expect(await response.innerText()).toMatch(/200[\s\S]*"success": true/);
  expect(await page.title()).toBe('API reference · Tickline');
  expect(await page.locator('.opblock').count()).toBe(operations.length);
  const path = operation.locator('.opblock-summary-path');
  expect((await path.innerText()).replaceAll('\u200b', '')).toBe('/api/marketdata/ticker/{id}');
  const samples = operation.getByRole('region', { name: 'Sample requests' });
  expect(await samples.locator('figcaption').allTextContents()).toEqual(['curl', 'TypeScript', 'Python']);
  const sample = await samples.locator('pre').first().textContent();
  expect(sample).toContain(`${new URL(page.url()).origin}/api/`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  // All other operations are built alike, and to check them takes many seconds.
  for (const part of ['header', '#operations-marketdata-marketdataTicker'])
    expect(await violations(part), part).toEqual([]);
  await page.getByRole('link', { name: 'Tickline' }).click();
  await page.getByRole('heading', { name: 'Market' }).waitFor({ state: 'attached' });
});
