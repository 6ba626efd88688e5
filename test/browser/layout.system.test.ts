import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowser, widths } from './browser-test.ts';
import { scrollsOf, untilDrawn, visitAnew } from './open-page.ts';

const opened = useBrowser({ store: true });

test('four cards scroll neither sideways nor into emptiness at any width, and stand in two columns from 1,280 on', async () => {
  const { page, command, cards } = await opened();
  await command('cchart BTC');
  await untilDrawn(cards);
  await keepCards(page, 4);
  await visitAnew(page);
  await untilDrawn(cards.nth(3));
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

test('twenty cards are drawn within the limit of requests, and scroll neither sideways nor into emptiness', async () => {
  const { page, command, cards } = await opened({ viewport: { width: 390, height: 844 } });
  await command('cchart BTC');
  await untilDrawn(cards);
  await keepCards(page, 20);
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/')) statuses.push(response.status());
  });
  await visitAnew(page);
  await untilDrawn(cards.nth(19));
  await expect.poll(() => page.locator('.card[aria-busy]').count()).toBe(0);
  expect(await cards.locator('canvas').count()).toBeGreaterThanOrEqual(20);
  expect(await cards.getByRole('alert').count()).toBe(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(statuses.length).toBeLessThan(30);
  expect(await scrollsOf(page)).toEqual({ sideways: 0, empty: 0 });
});

/** Keeps cards of the largest coins, as the page itself does, for its next load. */
function keepCards(page: Page, count: number): Promise<void> {
  return page.evaluate(async (limit) => {
    const answer = await fetch(`/api/marketdata/tickers?limit=${limit}`);
    const { data } = await answer.json();
    const cards = data.results.map(
      ({ ticker: { id, symbol, name } }: { ticker: Record<'id' | 'symbol' | 'name', string> }) => ({
        coin: { id, symbol, name },
        compared: [],
        command: { name: 'chart', symbol: id, compare: [], protocol: 'coinpaprika', range: {} },
      }),
    );
    localStorage.setItem('marketdata.cards', JSON.stringify(cards));
  }, count);
}
