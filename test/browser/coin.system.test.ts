import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type {} from '../setup/run-folder.ts';
import { phone, pressed, useBrowser } from './browser-test.ts';
import { checkFirstScreen, violationsByView } from './checks.ts';
import { countPixels, type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser();
const numberIn = (text: string) => Number(text.replace(/[^\d.]/g, ''));

describe('the page of a coin', () => {
  test('has its price, how far exchanges agree, a chart, facts and a converter', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin' });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    expect(await page.title()).toBe('Bitcoin (BTC) price and chart · Tickline');
    await expect
      .poll(() => coin.locator('.headline').innerText())
      .toMatch(/^\$[\d,]+\.\d\d\s+24h\s+[+-]?[\d.]+%$/);
    await expect
      .poll(() => coin.getByRole('region', { name: 'Facts' }).innerText())
      .toMatch(
        /1h\s+\S+%\s+24h\s+\S+%\s+7d\s+\S+%\s+30d\s+\S+%\s+1y\s+\S+%\s+Rank\s+#1\s+Market cap\s+\$[\d.]+T/,
      );
    await expect.poll(() => countPixels(coin, '--volume-up')).toBeGreaterThan(500);
    await coin.locator('.badge').click();
    await coin.getByText(/^Source: simulated data, not real prices/).waitFor();
    for (const exchange of ['Coinbase', 'Kraken', 'Binance'])
      await coin.getByText(new RegExp(`^${exchange} \\$[\\d,]+\\.\\d\\d$`)).waitFor();
    const converter = coin.getByRole('region', { name: 'Converter' });
    await expect.poll(() => converter.getByRole('status').innerText()).toMatch(/^[\d,.]+ USD$/);
    await converter.getByRole('textbox').fill('1e5');
    await converter.getByText('An amount above zero with a point, such as 1.5.').waitFor();
  });

  test('names the coin as which it continues, and is found by the symbol of the one that it continues', async () => {
    const { page, visit } = await opened({ path: '/coins/matic-polygon' });
    const successor = page.getByRole('link', { name: 'MATIC continued as POL' });
    await successor.click();
    await page.getByRole('article', { name: 'Polygon (POL)' }).waitFor();
    await visit('/coins/ftm');
    await expect.poll(() => page.url()).toMatch(/\/coins\/s-sonic$/);
    await page.getByRole('article', { name: 'Sonic (S)' }).waitFor();
  });

  test('shows a year with one more click, whose change is the ticker’s wherever it stands', async () => {
    const { page, visit } = await opened({ path: '/coins/eth-ethereum' });
    const coin = page.getByRole('article', { name: 'Ethereum (ETH)' });
    await untilDrawn(coin);
    await coin.getByRole('button', { name: '1Y', exact: true }).click();
    expect(await pressed(coin, '1Y')).toBe('true');
    const fact = /(?:^|\n)1y\s+(\S+)/.exec(await coin.locator('.changes').innerText())?.[1];
    await visit('/#ETH:1y');
    const card = page.locator('.card');
    await untilDrawn(card);
    expect((await card.locator('.headline').innerText()).split(/\s+/).slice(-2)).toEqual(['1y', fact]);
  });

  test('has a chart in the chosen currency, whose candles the service converts, or says why there is none', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin' });
    let isKnown = true;
    // The candles of the local service, at half their price: no rate of today makes that of them.
    await page.route('**/ohlcv/*', async (route) => {
      const url = new URL(route.request().url());
      const currency = url.searchParams.get('currency');
      if (currency === null) return route.continue();
      const error = `No exchange rate of ${currency} is known from 2026-01-01 to 2026-01-31; use USD`;
      if (!isKnown) return route.fulfill({ status: 404, json: { success: false, error } });
      url.searchParams.delete('currency');
      const response = await route.fetch({ url: url.href });
      const { data } = await response.json();
      const half = (candle: Readonly<Record<string, number>>) =>
        Object.fromEntries(
          Object.entries(candle).map(([name, value]) => [name, Number.isFinite(value) ? value / 2 : value]),
        );
      const json = {
        success: true,
        data: { ...data, quote: currency.toLowerCase(), data: data.data.map(half) },
      };
      return route.fulfill({ response, json });
    });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    const open = coin.locator('.legend span', { hasText: /^O / });
    const inDollars = numberIn(await open.innerText());
    await page.getByLabel('Currency').selectOption('EUR');
    await expect.poll(() => open.innerText()).toMatch(/^O €/);
    expect(numberIn(await open.innerText())).toBeCloseTo(inDollars / 2, 0);
    await expect.poll(() => coin.locator('.headline').innerText()).toMatch(/^€/);
    await expect.poll(() => coin.locator('.shown-change').innerText()).toMatch(/ by candles /);
    await coin.locator('.badge').click();
    await coin.getByText(/in EUR, each at the rate of its time, the last at that of \d+ \w+/).waitFor();

    isKnown = false;
    await page.getByLabel('Currency').selectOption('JPY');
    await coin.getByText(/^No exchange rate of JPY is known from .*; use USD$/).waitFor();
    await page.getByLabel('Currency').selectOption('USD');
    await expect.poll(() => open.innerText()).toMatch(/^O \$/);
  });

  test('has range, look and comparison in its address, which a reload and a link bring back', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin#+ETH:log:ma:1y' });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    expect(await pressed(coin, '1Y')).toBe('true');
    await coin.getByRole('button', { name: 'Stop comparing with ETH' }).click();
    await expect.poll(() => page.url()).toMatch(/\/coins\/btc-bitcoin#:log:ma:1y$/);
    await page.reload();
    await untilDrawn(coin);
    await expect.poll(() => countPixels(coin, '--series-2')).toBeGreaterThan(10);
    await coin.getByRole('button', { name: '3M', exact: true }).click();
    await expect
      .poll(() => coin.locator('.shown-change').innerText())
      .toMatch(/^\d+d by candles [+-]?[\d.]+%$/);
    await coin.getByRole('button', { name: '1M', exact: true }).click();
    await expect.poll(() => page.url()).toMatch(/#:log:ma:1m$/);
    // All that is stored, in as many candles as there are.
    await coin.getByRole('button', { name: 'ALL', exact: true }).click();
    await expect
      .poll(() => coin.getByRole('application').getAttribute('aria-label'))
      .toMatch(/: (2\d\d|3\d\d) candles of 24h, /);
    expect(await pressed(coin, 'ALL')).toBe('true');
    expect(page.url()).toMatch(/#:log:ma:all$/);
  });

  test('copies its link, saves a table and a picture, fills the window, and compares with a suggested coin', async () => {
    const { page } = await opened({
      path: '/coins/btc-bitcoin',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    const choose = async (name: string) => {
      const options = coin.getByRole('button', { name: 'Options of Bitcoin (BTC)' });
      if ((await options.getAttribute('aria-expanded')) !== 'true') await options.click();
      await coin.getByRole('button', { name, exact: true }).click();
    };
    await choose('Copy link');
    await page.getByText('Link copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/coins\/btc-bitcoin$/);
    for (const [name, ending, start] of [
      ['Save CSV', /^BTC-30d-.*\.csv$/, 'symbol,id,interval,'],
      ['Save PNG', /^BTC-30d-.*\.png$/, '\u0089PNG'],
    ] as const) {
      const saved = page.waitForEvent('download');
      await choose(name);
      expect((await saved).suggestedFilename()).toMatch(ending);
      const file = join(inject('runFolder'), (await saved).suggestedFilename());
      await (await saved).saveAs(file);
      const content = await readFile(file, 'latin1');
      expect(content.slice(0, start.length)).toBe(start);
    }
    await coin.getByRole('button', { name: 'Expand Bitcoin (BTC)' }).click();
    await expect.poll(async () => (await coin.locator('.chart').boundingBox())?.height).toBe(800);
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: element, body } = document;
        return element === body || element?.closest('.expanded') ? 'inside' : element?.outerHTML;
      });
      expect(focused).toBe('inside');
    }
    await page.keyboard.press('Escape');
    await coin.getByRole('button', { name: 'Expand Bitcoin (BTC)' }).waitFor();

    await coin.getByRole('combobox', { name: 'Compare Bitcoin (BTC) with' }).fill('ether');
    await page
      .getByRole('option', { name: /Ethereum ETH/ })
      .first()
      .click();
    await coin.getByRole('button', { name: 'Stop comparing with ETH' }).waitFor();
    await expect
      .poll(() => coin.locator('.legend').innerText())
      .toMatch(/^since .+BTC [+-]?[\d.]+%\s*ETH [+-]?[\d.]+%$/s);
    await coin.getByRole('application').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => coin.locator('.legend').innerText()).toMatch(/BTC \+?0\.00%\s*ETH \+?0\.00%$/s);
  });

  test('of a coin that does not exist offers a search', async () => {
    const { page } = await opened({ path: '/coins/no-such-coin' });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText('There is no coin with the id “no-such-coin”.').waitFor();
    await page.getByRole('combobox', { name: 'Search for a coin' }).fill('bitcoin');
    await page.locator('.option:visible').first().click();
    await page.waitForURL('**/coins/btc-bitcoin');
  });
});

test('axe-core finds nothing in any view', async () => {
  const open = await opened();
  expect(await violationsByView(open)).toEqual({});
});

test('a coin is found, charted, compared, starred and shared with the keyboard alone', async () => {
  const { page } = await opened({
    path: '/#/watchlist',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { keyboard } = page;
  await page.getByRole('heading', { name: 'Watchlist' }).waitFor();
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

test.each(['/', '/coins/btc-bitcoin'] as const)(
  'on a phone whose processor is slow nothing moves on the first screen of %s, which takes few requests and bytes',
  async (path) => await checkFirstScreen(await opened({ ...phone, path: '/licenses.md' }), path),
);
