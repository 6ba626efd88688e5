import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: true });

describe('the terminal', () => {
  test('opens by a key, prints the report of a price, and closes with Escape', async () => {
    const { page, command, log } = await opened();
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
  });

  test('names the search for an unknown symbol, and a click runs it', async () => {
    const { command, log } = await opened();
    await command('cprice NOSUCH');
    expect(await log.innerText()).toContain(
      'Coin "NOSUCH" was not found in CoinPaprika\'s database.\nTry: coinsearch NOSUCH',
    );
    await log.getByRole('button', { name: 'coinsearch NOSUCH' }).click();
    await log.getByText(/^(Coins like|No coin matches) "NOSUCH"/).waitFor();
  });

  test('says what failed and why where there is no network', async () => {
    const { page, command, log } = await opened();
    await page.context().setOffline(true);
    await command('cchart BTC');
    expect(await log.innerText()).toContain(
      'Chart fetch failed for BTC: this machine is offline, or its network is down',
    );
    await page.getByText('You are offline.').first().waitFor();
  });

  test('completes words, keeps its history over a reload, and clears its output', async () => {
    const { page, command, log } = await opened();
    await command('cprice BTC');
    await page.reload();
    await page.getByRole('heading', { name: 'Market' }).waitFor({ state: 'attached' });
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
  });

  test('takes a bare coin to its page, and adds a chart to the charts', async () => {
    const { page, command, cards, log } = await opened();
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
    await log.getByText('The panel shows this chart already.').waitFor();
  });
});

describe('the search', () => {
  test('finds a coin with one click, prices it, and opens its page', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: 'Search coins or type a command' }).click();
    await page.keyboard.type('ethereum');
    const option = page.getByRole('option', { name: /^.{0,2}Ethereum ETH · rank 2/ });
    await option.waitFor();
    await expect.poll(() => option.innerText()).toMatch(/\$[\d,.]+\s+24h [+-]?[\d.]+%/);
    await option.click();
    await page.waitForURL('**/coins/eth-ethereum');
    await page.getByRole('heading', { name: 'Ethereum' }).waitFor();
    // What was opened last is offered first.
    await page.keyboard.press('/');
    await expect.poll(() => page.locator('.option:visible').first().innerText()).toContain('Ethereum');
  });

  test('does what Enter says though it came before the coins', async () => {
    const { page } = await opened();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sol');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/coins/sol-solana');
  });

  test.each([
    ['cprice BTC', 'Bitcoin (BTC)'],
    ['help', 'Commands'],
  ])('runs the command %s, whose output opens the terminal', async (line, output) => {
    const { page, log } = await opened(phone);
    await page.keyboard.press('/');
    await page.keyboard.type(line);
    await page.getByRole('option', { name: `Run ${line}` }).waitFor();
    await page.keyboard.press('Enter');
    await log.getByText(output, { exact: true }).waitFor();
  });

  test('changes the currency, the theme and the view', async () => {
    const { page } = await opened();
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
  });

  test('says so when it finds nothing, and when the search fails', async () => {
    const { page } = await opened();
    await page.keyboard.press('/');
    await page.keyboard.type('zzzzqqqq');
    await page.getByText('No coin and no command is called "zzzzqqqq".').waitFor();
    await page.route('**/api/marketdata/search?*', (route) => route.abort());
    await page.keyboard.type('x');
    await page.getByText('The search failed: Failed to fetch').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'hidden' });
  });
});
