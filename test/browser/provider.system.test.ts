import { describe, expect, test } from 'vitest';
import { useBrowser } from './browser-test.ts';
import { type OpenPage, untilDrawn } from './open-page.ts';

type Route = Parameters<Parameters<OpenPage['page']['route']>[1]>[0];

const API = '**/api/marketdata/**';
const PROVIDERS_LIMIT = "The limit is CoinPaprika's own, for all that this service asks it.";
const CLIENTS_LIMIT = "The limit is this client's: 100 requests per minute.";

describe('a card of a provider that', () => {
  const opened = useBrowser({ env: { TICKER_FRESH_SECONDS: '1' } });

  test('is down keeps its chart under the reason, and gets another when it is well again', async () => {
    const { command, cards, setFault } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const price = await cards.locator('.price').innerText();
    setFault('status=503');
    await cards.getByRole('button', { name: '1D' }).click();
    const banner = cards.getByRole('alert');
    await banner.getByText('Chart fetch failed for BTC: CoinPaprika answered 503').waitFor();
    expect(await cards.locator('.price').innerText()).toBe(price);
    expect(await cards.locator('canvas').first().isVisible()).toBe(true);

    setFault(null);
    await banner.getByRole('button', { name: 'Try again' }).click();
    await banner.waitFor({ state: 'hidden' });
    await cards.getByRole('application', { name: '24 hourly' }).waitFor();
  });

  test('is down before there is a chart is told in the output', async () => {
    const { command, cards, log, setFault } = await opened();
    setFault('status=503');
    await command('cchart XRP');
    await log.getByText('Chart fetch failed for XRP: CoinPaprika answered 503').waitFor();
    expect(await cards.count()).toBe(0);
    expect(await log.page().locator('.card.skeleton').count()).toBe(0);
  });

  test('is slow shows that it loads until the chart is there', async () => {
    const { page, cards, setFault } = await opened();
    setFault('latency=400ms');
    // However long it takes to look.
    let seen = Promise.withResolvers<void>();
    await page.route('**/api/marketdata/ohlcv/**', async (route) => {
      const response = await route.fetch();
      await seen.promise;
      await route.fulfill({ response });
    });
    await page.getByLabel('Command').fill('cchart SOL');
    await page.keyboard.press('Enter');
    await page.locator('.card.skeleton').waitFor();
    seen.resolve();
    await untilDrawn(cards);
    seen = Promise.withResolvers();
    await cards.getByRole('button', { name: '1D' }).click();
    expect(await cards.getAttribute('aria-busy')).toBe('true');
    expect(await cards.locator('canvas').first().isVisible()).toBe(true);
    seen.resolve();
    await cards.getByRole('application', { name: '24 hourly' }).waitFor();
    expect(await cards.getAttribute('aria-busy')).toBeNull();
  });

  test('limits says whose limit it was, which is not the one of this client', async () => {
    const { page, command, cards, log, setFault } = await opened();
    await command('cchart DOGE');
    await untilDrawn(cards);
    setFault('status=429');
    await command('cchart ETH');
    await log.getByText(PROVIDERS_LIMIT).waitFor();
    await cards.getByRole('button', { name: '1D' }).click();
    const banner = cards.getByRole('alert');
    await banner.getByText(PROVIDERS_LIMIT).waitFor();
    expect(await banner.innerText()).toMatch(
      /^Rate limit exceeded\n.*25,000 requests per month.*\nTry again in \d+ seconds? \((\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\)\./,
    );
    setFault(null);

    await page.evaluate(useUp, 'ohlcv/doge-dogecoin?limit=7');
    await command('cchart DOGE --range 7d');
    await log.getByText(CLIENTS_LIMIT).waitFor();
    await banner.getByRole('button', { name: 'Try again' }).click();
    await banner.getByText(CLIENTS_LIMIT).waitFor();
    expect(await banner.innerText()).not.toContain(PROVIDERS_LIMIT);
  });
});

describe('of prices that are', () => {
  const opened = useBrowser({ store: { history: true } });

  test('simulated, the first screen and each card say so', async () => {
    const { page, command, cards } = await opened();
    const badge = page.getByText('Simulated data, not real prices', { exact: true });
    await badge.waitFor();
    await page.locator('.market-source').getByText('Source: simulated data, not real prices').waitFor();
    await command('cchart BTC');
    await untilDrawn(cards);
    await cards.getByRole('button', { name: /^Source of Bitcoin \(BTC\): Simulated · / }).click();
    await cards.getByText('simulated data, not real prices').waitFor();
  });

  test.each([
    ['disputed', 'disputed', 'disputed: exchanges differ by more than 10 %'],
    ['stale', 'old', 'provider unreachable'],
  ])('%s, the first screen, a card and the output warn', async (quality, note, told) => {
    const { page, command, cards, log } = await opened();
    await page.route(API, (route) => withQuality(route, quality));
    await page.reload();
    const row = page.locator('.coins tbody tr').first();
    await row.locator('.note').getByText(note).waitFor();

    await command('cprice BTC');
    await log.getByText(told).waitFor();
    await command('cchart BTC');
    await untilDrawn(cards);
    const badge = cards.getByRole('button', { name: /^Source of/ });
    expect(await badge.getAttribute('aria-label')).toMatch(/ · (disputed|out of date)$/);
    expect(await badge.getAttribute('class')).toContain('warning');
    await badge.click();
    await cards.getByText(told).waitFor();
    if (quality === 'stale') expect(await cards.locator('.age').innerText()).toMatch(/^\d+ \w+ old$/);
  });
});

describe('the first screen of', () => {
  const opened = useBrowser();

  test('a service that has no list, and then limits this client, says so and tries again', async () => {
    const { page } = await opened();
    await page.getByText('The market is not at hand: No list of tickers is at hand').waitFor();
    await page.evaluate(useUp, 'tickers?limit=1');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(/^The market is not at hand: rate limit exceeded; the next attempt is in \d+ seconds?\.$/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
  });
});

/** Asks a route until the service refuses this client for half a minute more: the steps after it take their time. */
async function useUp(path: string): Promise<void> {
  for (let tried = 0; tried < 60; tried += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fetch(`/api/marketdata/${path}`, { cache: 'no-store' })),
    );
    const refusal = answers.find(({ status }) => status === 429);
    if (Number(refusal?.headers.get('retry-after') ?? 0) >= 30) return;
    if (refusal) await new Promise((resolve) => setTimeout(resolve, 1000)); // too much of its minute is over
  }
  throw new Error('nothing limits this client');
}

/** The answer of the service, as if its prices had another quality. */
async function withQuality(route: Route, quality: string): Promise<void> {
  const response = await route.fetch();
  const headers = { ...response.headers(), 'x-data-quality': quality };
  const body = await response.json();
  for (const result of body.data?.results ?? []) if ('quality' in result) result.quality = quality;
  await route.fulfill({ response, headers, json: body });
}
