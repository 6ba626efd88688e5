import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtPage } from '../../local/page.ts';
import { useBrowser } from './browser-test.ts';

const opened = useBrowser();
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

  test('sends a request to this service and shows its answer', async () => {
    const { page } = await opened({ path: '/docs#/marketdata/marketdataTicker' });
    const operation = page.locator('#operations-marketdata-marketdataTicker');
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.getByText('"btc-bitcoin"').first().waitFor();
    expect(await answer.innerText()).toMatch(/200[\s\S]*"success": true/);
  });

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'axe-core finds nothing serious in %s at %i pixels, where nothing is cut',
    async (colorScheme, width) => {
      const { page, accessibilityProblems } = await opened({
        path: '/docs#/marketdata/marketdataTickers',
        colorScheme,
        viewport: { width, height: 800 },
      });
      const operation = page.locator('#operations-marketdata-marketdataTickers');
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table .response').first().waitFor();
      expect(await accessibilityProblems()).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    },
  );
});
