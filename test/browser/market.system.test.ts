import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type {} from '../setup/run-folder.ts';
import { phone, useBrowser, widths } from './browser-test.ts';
import { type OpenPage, scrollsOf, untilDrawn } from './open-page.ts';

const opened = useBrowser();
const desktop = { viewport: { width: 1440, height: 900 } } as const;
/** A view that draws no list of coins, for tests of what all views have. */
const empty = { path: '/#/watchlist' } as const;

const rowsOf = (page: OpenPage['page']) => page.locator('.coins tbody tr');

describe('the market', () => {
  test('shows totals, movers and coins with prices, caps, volumes and a week as a line, at any width', async () => {
    const { page } = await opened(desktop);
    const first = rowsOf(page).first();
    await expect.poll(() => first.innerText()).toMatch(/^\s*1\s+BT\s+Bitcoin\s+BTC\s+\$[\d,.]+/);
    expect(await first.innerText()).toMatch(
      /[+-]?[\d.]+%\s+[+-]?[\d.]+%\s+[+-]?[\d.]+%\s+\$[\d.]+T\s+\$[\d.]+B/,
    );
    await page.locator('.sparkline').first().waitFor();
    expect(await page.locator('.figures').innerText()).toMatch(
      /Market cap\s+\$[\d.]+T\s+Volume 24h\s+\$[\d.]+B\s+BTC share\s+[\d.]+%\s+ETH share/,
    );
    expect(await page.getByRole('region', { name: 'Gainers, 24h' }).getByRole('link').count()).toBe(3);
    await page.getByText('Simulated data, not real prices', { exact: true }).waitFor();
    expect(await page.locator('.simulated').count()).toBe(1);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => scrollsOf(page), { message: `at ${width} pixels` })
        .toEqual({ sideways: 0, empty: 0 });
      const name = await first.locator('.name').boundingBox();
      expect(name?.width, `at ${width} pixels`).toBeGreaterThanOrEqual(52);
    }
  });

  test('has more coins after a click, keeps them while the service cannot be reached, and is sorted after a retry', async () => {
    const { page } = await opened(desktop);
    await page.getByRole('button', { name: 'Show more coins' }).click();
    await rowsOf(page).nth(99).getByRole('link').waitFor();
    await page.route('**/api/marketdata/tickers?*', (route) => route.abort());
    await page.getByRole('button', { name: '24h', exact: true }).click();
    await page.getByText(/^Can't reach the service\. Prices are as of /).waitFor();
    expect(await rowsOf(page).count()).toBe(100);
    await page.unroute('**/api/marketdata/tickers?*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText("Can't reach the service.").waitFor({ state: 'detached' });

    await expect.poll(() => rowsOf(page).count()).toBe(50);
    const changes = await rowsOf(page).locator('td.day').allInnerTexts();
    const numbers = changes.map((text) => Number(text.replace('%', '')));
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(await page.locator('th[aria-sort=descending]').innerText()).toBe('24h');
    const link = rowsOf(page).first().getByRole('link');
    const target = await link.getAttribute('href');
    await link.click();
    await page.waitForURL(`**${target}`);
  });

  test('stays in dollars while there is no rate, then is in the chosen currency by rates that are fetched once, over a reload too', async () => {
    const { page } = await opened();
    const price = rowsOf(page).first().locator('td.price');
    const choose = (code: string) => page.getByLabel('Currency').selectOption(code);
    await page.route('**/api/marketdata/rates', (route) => route.abort());
    await choose('EUR');
    await page.getByText(/^Exchange rate fetch failed for EUR: .+\. Prices are in US dollars\.$/).waitFor();
    await expect.poll(() => price.innerText()).toMatch(/^\$/);
    await page.unroute('**/api/marketdata/rates');
    let rates = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/rates')) rates += 1;
    });
    await choose('JPY');
    await expect.poll(() => price.innerText()).toMatch(/^¥[\d,]+/);
    await choose('EUR');
    await expect.poll(() => price.innerText()).toMatch(/^€[\d,]+/);
    await page.getByText(/^Prices in EUR at the rate of \d+ \w+/).waitFor();
    expect(rates).toBe(1);
    await page.reload();
    await expect.poll(() => price.innerText()).toMatch(/^€[\d,]+/);
  });
});

test('the watchlist gets a coin by its star or by its name, once, and loses it with a way back', async () => {
  const { page } = await opened();
  const star = page.getByRole('button', { name: 'Ethereum in the watchlist' });
  await star.click();
  expect(await star.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('link', { name: 'Watchlist' }).click();
  await expect.poll(() => rowsOf(page).innerText()).toMatch(/Ethereum\s+ETH\s+\$[\d,.]+/);
  await page.reload();
  await rowsOf(page).getByText('Ethereum').waitFor();
  await star.click();
  await page.getByText('No coin has a star yet.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowsOf(page).getByText('Ethereum').waitFor();

  const field = page.getByRole('combobox', { name: 'Add a coin to the watchlist' });
  for (const expected of ['Solana', 'Solana is already in the watchlist.']) {
    await field.fill('sol');
    await field.press('Enter');
    await page.getByText(expected, { exact: true }).waitFor();
  }
  await field.fill('nosuchcoinatall');
  await field.press('Enter');
  await page.getByText('Coin "nosuchcoinatall" was not found').waitFor();
});

test('the portfolio values holdings in the service’s decimals, and goes through a file and back', async () => {
  const { page } = await opened({ path: '/#/portfolio' });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Choose a coin first.').waitFor();
  await page.getByRole('combobox', { name: 'Coin', exact: true }).fill('btc');
  await page.locator('.option:visible').first().click();
  await page.getByLabel('Amount', { exact: true }).fill('0.1.2');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('The amount is a number above zero with a point').waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('0.25');
  await page.getByLabel('Cost in USD').fill('15000');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const row = rowsOf(page).first();
  await expect.poll(() => row.innerText()).toMatch(/Bitcoin\s+BTC\s+\$[\d,]+\.\d\d\s+\$[\d,]+\.\d\d/);
  const worth = page.locator('.figures dd').first();
  await expect.poll(() => worth.innerText()).toMatch(/^\$[\d,]+\.\d\d$/);

  let value = () => {};
  const held = new Promise<void>((resolve) => {
    value = resolve;
  });
  await page.route('**/api/marketdata/valuation*', async (route) => {
    await held;
    await route.continue();
  });
  const price = row.locator('td.price');
  await page.getByLabel('Currency').selectOption('EUR');
  expect(await price.innerText()).toMatch(/^\$/); // until it is valued in euros
  value();
  await expect.poll(() => price.innerText()).toMatch(/^€/);
  await page.getByLabel('Currency').selectOption('USD');
  await expect.poll(() => price.innerText()).toMatch(/^\$/);

  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expect
      .poll(() => scrollsOf(page), { message: `at ${width} pixels` })
      .toEqual({ sideways: 0, empty: 0 });
  }

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const path = join(inject('runFolder'), 'portfolio.json');
  await (await download).saveAs(path);
  await page.getByRole('button', { name: 'Remove Bitcoin' }).click();
  const bad = JSON.stringify({ version: 1, holdings: [{ id: 'btc-bitcoin', amount: 'all' }] });
  await page.locator('input[type=file]').setInputFiles({
    name: 'bad.json',
    mimeType: 'application/json',
    buffer: Buffer.from(bad),
  });
  await page.getByText('"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5"').waitFor();
  await page.getByText('Nothing here yet.').waitFor();
  await page.locator('input[type=file]').setInputFiles(path);
  await row.getByText('Bitcoin').waitFor();
  expect(await page.getByLabel('Amount of Bitcoin').inputValue()).toBe('0.25');
});

describe('the terminal', () => {
  test('opens by a key, prints a price, completes words, keeps its history over a reload, and says why a command failed', async () => {
    const { page, command, log } = await opened(empty);
    expect(await log.count()).toBe(0);
    await page.keyboard.press('`');
    await page.getByLabel('Command', { exact: true }).waitFor();
    await command('cprice BTC');
    // The time with the date, if that is yesterday's by now.
    expect(await log.innerText()).toMatch(
      /Bitcoin \(BTC\)\s+Price: +\$[\d,.]+\s+24h change: +[+-]?[\d.]+%\s+Market cap: +\$[\d.]+T \(rank #1\)\s+24h volume: +\$[\d.]+B\s+Source: +simulated data, not real prices, as of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC/,
    );
    await page.keyboard.press('Escape');
    await log.waitFor({ state: 'detached' });

    await page.reload();
    await page.getByRole('heading', { name: 'Watchlist' }).waitFor();
    await page.keyboard.press('`');
    const field = page.getByLabel('Command', { exact: true });
    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe('cprice BTC');
    await field.fill('cch');
    await field.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('cchart ');
    await field.fill('clear');
    await field.press('Enter');
    await expect.poll(() => log.innerText()).toBe('');

    await command('cprice NOSUCH');
    expect(await log.innerText()).toContain(
      'Coin "NOSUCH" was not found in CoinPaprika\'s database.\nTry: coinsearch NOSUCH',
    );
    await log.getByRole('button', { name: 'coinsearch NOSUCH' }).click();
    await log.getByText(/^(Coins like|No coin matches) "NOSUCH"/).waitFor();

    await page.context().setOffline(true);
    await command('cchart BTC');
    expect(await log.innerText()).toContain(
      'Chart fetch failed for BTC: this machine is offline, or its network is down',
    );
    await page.getByText('You are offline.').first().waitFor();
  });

  test('opens the page of a coin that is typed alone, and adds a chart to the charts', async () => {
    const { page, command, cards, log } = await opened(empty);
    await page.keyboard.press('`');
    await page.getByLabel('Command', { exact: true }).fill('eth');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/coins/eth-ethereum');
    await command('cchart BTC --line');
    await untilDrawn(cards);
    expect(page.url()).toMatch(/\/#BTC:line$/);
    await log.getByText('Chart added to the panel.').waitFor();
    await command('cchart btc-bitcoin --interval 24h --line');
    expect(await cards.count()).toBe(1);
    await log.getByText('This chart is already in the panel.').waitFor();
  });
});

describe('the search', () => {
  test('opens a coin with a click, shows recent coins first, and accepts Enter before the suggestions', async () => {
    const { page } = await opened(empty);
    await page.getByRole('button', { name: 'Search coins or type a command' }).click();
    await page.keyboard.type('ethereum');
    const option = page.getByRole('option', { name: /^.{0,2}Ethereum ETH · rank 2/ });
    await option.waitFor();
    await expect.poll(() => option.innerText()).toMatch(/\$[\d,.]+\s+24h [+-]?[\d.]+%/);
    await option.click();
    await page.waitForURL('**/coins/eth-ethereum');
    await page.getByRole('heading', { name: 'Ethereum' }).waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.locator('.option:visible').first().innerText()).toContain('Ethereum');
    await page.keyboard.type('sol');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/coins/sol-solana');
  });

  test('changes theme, view and currency, reports what it cannot find, and prints a command’s output in the terminal', async () => {
    const { page, log } = await opened({ path: '/#/portfolio', ...phone });
    const choose = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
      await page.locator('.option:visible').first().waitFor();
      await page.keyboard.press('Enter');
    };
    await choose('theme dark');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await choose('watchlist');
    await page.getByRole('heading', { name: 'Watchlist' }).waitFor();
    await choose('prices in jpy');
    await expect.poll(() => page.getByLabel('Currency').inputValue()).toBe('JPY');

    await page.keyboard.press('/');
    await page.keyboard.type('zzzzqqqq');
    const status = page.locator('.palette-status');
    const untilStatus = (text: string) =>
      expect.poll(() => status.innerText(), { timeout: 30_000 }).toContain(text);
    await untilStatus('No coin and no command is called "zzzzqqqq".');
    await page.route('**/api/marketdata/search?*', (route) => route.abort());
    await page.keyboard.type('x');
    await untilStatus('The search failed: Failed to fetch');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'hidden' });

    await page.keyboard.press('/');
    await page.keyboard.type('cprice BTC');
    await page.getByRole('option', { name: 'Run cprice BTC' }).waitFor();
    await page.keyboard.press('Enter');
    await log.getByText('Bitcoin (BTC)', { exact: true }).waitFor();
  });
});
