import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtPage } from '../../local/page.ts';
import { phone, pressed, useBrowser, widths } from './browser-test.ts';
import { countPixels, scrollsOf, untilDrawn } from './open-page.ts';

const opened = useBrowser({ env: { TICKER_FRESH_SECONDS: '1' } });

describe('charts side by side', () => {
  test('are those of the address, and a change updates the address', async () => {
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
  });

  test('are removed with a way back', async () => {
    const { page, cards } = await opened({ path: '/#BTC' });
    await untilDrawn(cards);
    await cards.getByRole('button', { name: 'Remove Bitcoin (BTC)' }).click();
    await page.getByText('No charts yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilDrawn(cards);
    expect(page.url()).toMatch(/#BTC$/);
  });

  test('say which parts of an address cannot be shown', async () => {
    const { page, cards } = await opened({ path: '/#BTC,NOSUCH,ETH:nonsense' });
    await untilDrawn(cards);
    const notice = page.getByRole('alert');
    await notice.getByText('Coin "NOSUCH" was not found').waitFor();
    expect(await notice.innerText()).toContain('One card of this address could not be read.');
    expect(await cards.count()).toBe(1);
  });

  test('paint candles in two colours and a line in a third, in both themes', async () => {
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
  });

  test('show open, high, low, close and volume under the crosshair', async () => {
    const { page, cards } = await opened({ path: '/#BTC' });
    await untilDrawn(cards);
    const legend = cards.locator('.legend');
    const last = await legend.innerText();
    expect(last).toMatch(
      /^\d+ \w{3}\s+O \$[\d,.]+\s+H \$[\d,.]+\s+L \$[\d,.]+\s+C \$[\d,.]+\s+Vol \$[\d.]+B$/,
    );
    await cards.locator('.frame').hover({ position: { x: 60, y: 60 } });
    await expect.poll(() => legend.innerText()).not.toBe(last);
    await page.mouse.move(0, 0);
    await cards.getByRole('application').focus();
    await page.keyboard.press('Home');
    await expect
      .poll(() => page.locator('p.visually-hidden[role=status]').innerText())
      .toMatch(/^\d+ \w{3}: open \$/);
  });

  test('show what failed in place of the candles of another range, and try again on demand', async () => {
    const { cards, setFault } = await opened({ path: '/#LTC' });
    await untilDrawn(cards);
    setFault('status=503');
    await cards.getByRole('button', { name: '1D', exact: true }).click();
    const alert = cards
      .getByRole('alert')
      .filter({ hasText: 'Chart fetch failed for LTC: CoinPaprika answered 503' });
    await alert.waitFor();
    expect(await cards.locator('canvas').first().isVisible()).toBe(false);
    expect(await pressed(cards, '1D')).toBe('true');
    setFault(null);
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'detached' });
    await cards.getByRole('application', { name: / candles of 1h,/ }).waitFor();
  });

  test('keep what they show when a refresh fails, under the reason', async () => {
    const { page, cards } = await opened({ path: '/#BTC' });
    await untilDrawn(cards);
    await page.route('**/api/marketdata/ohlcv/**', (route) => route.abort());
    await cards.getByRole('button', { name: 'Options of Bitcoin (BTC)' }).click();
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await cards.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
    expect(await cards.locator('canvas').first().isVisible()).toBe(true);
  });

  test('scroll neither sideways nor into emptiness at any width, in two columns from 1,280 on', async () => {
    const { page, cards } = await opened({ path: '/#BTC,ETH,SOL+BTC,XRP' });
    await untilDrawn(cards.nth(3));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => scrollsOf(page), { message: `at ${width} pixels` })
        .toEqual({ sideways: 0, empty: 0 });
      const [first, second] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
      expect(first?.y === second?.y, `at ${width} pixels`).toBe(width >= 1280);
    }
  });

  test('are drawn twenty at a time within the limit of requests', async () => {
    const { page, cards } = await opened(phone);
    const symbols = await page.evaluate(async () => {
      const answer = await fetch('/api/marketdata/search?q=a&limit=60');
      const { data } = await answer.json();
      return data.results
        .filter((coin: { is_active: boolean; rank: number }) => coin.is_active && coin.rank > 0)
        .map(({ id }: { id: string }) => encodeURIComponent(id))
        .slice(0, 20);
    });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (/\/(ohlcv|ticker|resolve)\//.test(response.url())) statuses.push(response.status());
    });
    await page.evaluate((hash) => {
      location.hash = hash;
    }, symbols.join(','));
    await untilDrawn(cards.nth(symbols.length - 1));
    await expect.poll(() => page.locator('.chart[aria-busy=true]').count()).toBe(0);
    expect(await cards.getByRole('alert').count()).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

const { paths } = JSON.parse(readFileSync(join(builtPage, 'openapi.json'), 'utf8'));
const operations = Object.values<object>(paths).flatMap((item) => Object.keys(item));

describe('the API reference', () => {
  test('lists every operation, with its requests in three languages at this address', async () => {
    const { page } = await opened({ path: '/docs' });
    await page.locator('.opblock').first().waitFor();
    expect(await page.title()).toBe('API reference · Tickline');
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    await page.locator('#operations-marketdata-marketdataOhlcv .opblock-summary-control').click();
    const path = page.locator('#operations-marketdata-marketdataOhlcv .opblock-summary-path');
    expect((await path.innerText()).replaceAll('\u200b', '')).toBe('/api/marketdata/ohlcv/{id}');
    const samples = page.getByRole('region', { name: 'Sample requests' });
    expect(await samples.locator('figcaption').allTextContents()).toEqual(['curl', 'TypeScript', 'Python']);
    expect(await samples.locator('pre').first().textContent()).toContain(
      `${new URL(page.url()).origin}/api/`,
    );
    expect(await page.evaluate(() => location.hash)).toContain('marketdataOhlcv');
    await page.getByRole('link', { name: 'Tickline' }).click();
    await page.getByRole('heading', { name: 'Market' }).waitFor({ state: 'attached' });
  });

  test('sends a request to this service and shows the response, without a serious finding of axe-core on a phone', async () => {
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
    expect(await violations('serious', 'critical')).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
  });
});
