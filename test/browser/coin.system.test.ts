import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, test } from 'vitest';
import type {} from '../setup/run-folder.ts';
import { phone, pressed, useBrowser } from './browser-test.ts';
import { countPixels, type OpenPage, untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

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

  test('shows a year with one more click, whose change is the ticker’s wherever it stands', async () => {
    const { page } = await opened({ path: '/coins/eth-ethereum' });
    const coin = page.getByRole('article', { name: 'Ethereum (ETH)' });
    await untilDrawn(coin);
    await coin.getByRole('button', { name: '1Y', exact: true }).click();
    expect(await pressed(coin, '1Y')).toBe('true');
    const fact = /(?:^|\n)1y\s+(\S+)/.exec(await coin.locator('.changes').innerText())?.[1];
    await page.goto(`${new URL(page.url()).origin}/#ETH:1y`);
    const card = page.locator('.card');
    await untilDrawn(card);
    expect((await card.locator('.headline').innerText()).split(/\s+/).slice(-2)).toEqual(['1y', fact]);
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
});

describe('accessibility', () => {
  // Each takes seconds of CPU; forced colours are the browser's own.
  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const)('axe-core finds nothing in $colorScheme at $width pixels', async ({ width, colorScheme }) => {
    const { page, command, cards, violations } = await opened({
      colorScheme,
      viewport: { width, height: 800 },
    });
    await page.locator('.sparkline, .coins .name').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('bit');
    await page.locator('.option:visible').first().waitFor();
    expect(await violations(), 'market and search').toEqual([]);
    await page.keyboard.press('Escape');
    for (const line of ['cprice NOSUCH', 'cchart BTC', 'cchart BTC --compare ETH,SOL']) await command(line);
    await untilDrawn(cards.nth(1));
    expect(await violations(), 'charts and terminal').toEqual([]);
    await page.keyboard.press('Escape');
    for (const [path, ready] of [
      ['/#/watchlist', 'h1'],
      ['/#/portfolio', 'h1'],
      ['/coins/btc-bitcoin', '.coin-page .headline .price'],
      ['/coins/none', '.missing'],
    ] as const) {
      await page.evaluate((url) => history.pushState(null, '', url), path);
      await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
      await page.locator(ready).first().waitFor();
      if (path === '/coins/none') await page.getByRole('button', { name: 'Settings', exact: true }).click();
      expect(await violations(), path).toEqual([]);
    }
  });

  test('a coin is found, charted, compared, starred and shared with the keyboard alone', async () => {
    const { page } = await opened({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { keyboard } = page;
    await page.locator('.coins .name').first().waitFor();
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

const MAX_SHIFT = 0.02;

/** The market, and the page of a coin, which also loads the charts' library. */
const screens = {
  '/': { drawn: '.sparkline', requests: 6, scriptBytes: 100_000 },
  '/coins/btc-bitcoin': { drawn: '.chart[aria-busy=false] canvas', requests: 9, scriptBytes: 115_000 },
} as const;

test.each([
  ['a phone', '/', phone.viewport],
  ['a phone', '/coins/btc-bitcoin', phone.viewport],
  ['a desktop', '/coins/btc-bitcoin', { width: 1440, height: 900 }],
] as const)(
  'on %s whose processor is slow nothing moves on the first screen of %s, which takes few requests and bytes',
  async (_device, path, viewport) => {
    const { drawn, ...limits } = screens[path];
    const { page } = await opened({ viewport, path });
    await page.locator(drawn).first().waitFor({ timeout: 40_000 }); // the processes of the service have started
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript(() => {
      let shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if ('value' in entry) shift += Number(entry.value);
        document.documentElement.dataset.shift = String(shift);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.reload();
    await page.locator(drawn).first().waitFor();
    await page.waitForTimeout(500);

    const { shift, requests, scriptBytes } = await measured(page);
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(limits.requests);
    expect(scriptBytes).toBeLessThanOrEqual(limits.scriptBytes);
  },
);

/** Of the page since it began to load; bytes as they are sent, compressed. */
async function measured(page: OpenPage['page']) {
  const { scripts, ...others } = await page.evaluate(() => {
    const { shift = '0' } = document.documentElement.dataset;
    const resources = performance.getEntriesByType('resource').filter(({ name }) => !name.endsWith('.svg'));
    return {
      shift: Number(shift),
      requests: [location.href, ...resources.map(({ name }) => name)],
      scripts: resources.map(({ name }) => name).filter((name) => name.endsWith('.js')),
    };
  });
  const bytes = await Promise.all(
    scripts.map(async (url) => gzipSync(await (await page.request.get(url)).body()).length),
  );
  return { ...others, scriptBytes: bytes.reduce((sum, each) => sum + each, 0) };
}
