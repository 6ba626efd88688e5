import { expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { checkFirstScreen, violationsByView } from './checks.ts';
import { untilDrawn } from './open-page.ts';

const opened = useBrowser();

test('axe-core finds nothing in any view on a phone in the dark theme', async () => {
  const open = await opened({ colorScheme: 'dark', ...phone });
  expect(await violationsByView(open)).toEqual({});
});

test('on a desktop whose processor is slow nothing moves on the page of a coin', async () => {
  const open = await opened({ viewport: { width: 1440, height: 900 }, path: '/licenses.md' });
  await checkFirstScreen(open, '/coins/btc-bitcoin');
});

test('twenty charts are drawn within the limit of requests', async () => {
  const { page, cards, visit } = await opened({ path: '/#/charts', ...phone });
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
  await visit(`/#${symbols.join(',')}`);
  await untilDrawn(cards.nth(symbols.length - 1));
  await expect.poll(() => page.locator('.chart[aria-busy=true]').count()).toBe(0);
  expect(await cards.getByRole('alert').count()).toBe(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
