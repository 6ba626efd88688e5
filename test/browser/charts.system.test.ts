import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type {} from '../setup/run-folder.ts';
import { phone, useBrowser, widths } from './browser-test.ts';
import { countPixels, type OpenPage, scrollsOf, untilDrawn } from './open-page.ts';

const pressed = (place: OpenPage['cards'], name: string) =>
  place.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');

describe('the page of a coin', () => {
  const opened = useBrowser({ store: { history: true } });

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
    await coin.locator('.badge').click();
    await coin.getByText(/^Source: simulated data, not real prices/).waitFor();
    for (const exchange of ['Coinbase', 'Kraken', 'Binance'])
      await coin.getByText(new RegExp(`^${exchange} \\$[\\d,]+\\.\\d\\d$`)).waitFor();
    const converter = coin.getByRole('region', { name: 'Converter' });
    await expect.poll(() => converter.getByRole('status').innerText()).toMatch(/^[\d,.]+ USD$/);
    await converter.getByRole('textbox').fill('1e5');
    await converter.getByText('An amount above zero with a point, such as 1.5.').waitFor();
  });

  test('shows a year with one more click, the number of that label being the ticker’s wherever it stands', async () => {
    const { page } = await opened({ path: '/coins/eth-ethereum' });
    const coin = page.getByRole('article', { name: 'Ethereum (ETH)' });
    await untilDrawn(coin);
    for (const [range, label] of [
      ['1Y', '1y'],
      ['7D', '7d'],
      ['1D', '24h'],
    ] as const) {
      await coin.getByRole('button', { name: range, exact: true }).click();
      expect(await pressed(coin, range)).toBe('true');
      const facts = await coin.locator('.changes').innerText();
      const fact = new RegExp(`(?:^|\\n)${label}\\s+(\\S+)`).exec(facts)?.[1];
      await page.goto(`${new URL(page.url()).origin}/#ETH:${range.toLowerCase()}`);
      const card = page.locator('.card');
      await untilDrawn(card);
      expect((await card.locator('.headline').innerText()).split(/\s+/).slice(-2)).toEqual([label, fact]);
      await page.goto(`${new URL(page.url()).origin}/coins/eth-ethereum`);
      await untilDrawn(coin);
    }
  });

  test('shows all that is stored, in as many candles as there are', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin' });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    await coin.getByRole('button', { name: 'ALL', exact: true }).click();
    await expect
      .poll(() => coin.getByRole('application').getAttribute('aria-label'))
      .toMatch(/: (2\d\d|3\d\d) candles of 24h, /);
    expect(await pressed(coin, 'ALL')).toBe('true');
    expect(page.url()).toMatch(/#:all$/);
  });

  test('compares with a coin that it suggests, lines beginning at 0 %', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin' });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
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
  });

  test('suggests what to compare with before anything is typed', async () => {
    const { page } = await opened({ path: '/coins/eth-ethereum' });
    const coin = page.getByRole('article', { name: 'Ethereum (ETH)' });
    await untilDrawn(coin);
    await coin.getByRole('combobox', { name: 'Compare Ethereum (ETH) with' }).click();
    await page.getByRole('option', { name: /Bitcoin/ }).click();
    await coin.getByRole('button', { name: 'Stop comparing with BTC' }).waitFor();
  });

  test('copies its link, saves a table and a picture, and fills the window', async () => {
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
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: element, body } = document;
        return element === body || element?.closest('.expanded') ? 'inside' : element?.outerHTML;
      });
      expect(focused).toBe('inside');
    }
    await page.keyboard.press('Escape');
    await coin.getByRole('button', { name: 'Expand Bitcoin (BTC)' }).waitFor();
  });

  test('of a coin that does not exist offers a search', async () => {
    const { page } = await opened({ path: '/coins/no-such-coin' });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText('There is no coin with the id “no-such-coin”.').waitFor();
    await page.getByRole('combobox', { name: 'Search for a coin' }).fill('bitcoin');
    await page.locator('.option:visible').first().click();
    await page.waitForURL('**/coins/btc-bitcoin');
  });

  test('shows no volumes where there are none, and a moving average where it is wanted', async () => {
    const { page } = await opened({ path: '/coins/btc-bitcoin' });
    const coin = page.getByRole('article', { name: 'Bitcoin (BTC)' });
    await untilDrawn(coin);
    await expect.poll(() => countPixels(coin, '--volume-up')).toBeGreaterThan(500);
    await coin.getByRole('button', { name: 'Options of Bitcoin (BTC)' }).click();
    await coin.getByRole('button', { name: 'Average of 20' }).click();
    await expect.poll(() => countPixels(coin, '--series-2')).toBeGreaterThan(10);
  });
});

describe('charts side by side', () => {
  const opened = useBrowser({ env: { TICKER_FRESH_SECONDS: '1' } });

  test('are those of the address, and what is changed changes the address', async () => {
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

  test('show what failed in place of the candles of another range, and try again when asked', async () => {
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

  test('say in the words of the service whose limit was reached', async () => {
    const { page, cards, setFault } = await opened({ path: '/#DOGE' });
    await untilDrawn(cards);
    setFault('status=429');
    await cards.getByRole('button', { name: '1D', exact: true }).click();
    await cards.getByText("The limit is CoinPaprika's own, for all that this service asks it.").waitFor();
    expect(await cards.getByRole('alert').first().innerText()).toMatch(
      /^Rate limit exceeded\s+.*25,000 requests per month.*\s+Try again in \d+ seconds?/,
    );
    await page.getByText(/^Rate limit exceeded\. CoinPaprika's free tier/).waitFor();
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
