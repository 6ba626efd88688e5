import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from './browser-test.ts';
import { untilDrawn } from './open-page.ts';

const opened = useBrowser({ store: { history: true } });

const hashOf = (page: Page) => page.evaluate(() => location.hash);
const titlesOf = (page: Page) => page.getByRole('article').getByRole('heading').allInnerTexts();
const BTC = 'Bitcoin (BTC)';
const ETH = 'Ethereum (ETH)';
const SOL = 'Solana (SOL)';

/** Goes to an address without loading the page, as by hand. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((text) => {
    location.hash = text;
  }, hash);
}

async function load(page: Page, hash: string): Promise<void> {
  const url = new URL(hash, page.url()).href;
  await page.goto('about:blank');
  await page.goto(url);
}

describe('the address of the dashboard', () => {
  test('has cards, order, time and look, and a reload brings all of it back', async () => {
    const { page, command, cards } = await opened();
    expect(await hashOf(page)).toBe('');
    await command('cchart BTC');
    await command('cchart ETH --line --range 1y');
    await untilDrawn(cards.nth(1));
    await expect.poll(() => hashOf(page)).toBe('#BTC,ETH:line:1y');
    await page.reload();
    await untilDrawn(cards.nth(1));
    expect(await titlesOf(page)).toEqual([BTC, ETH]);
    expect(await hashOf(page)).toBe('#BTC,ETH:line:1y');
  });

  test('opens a dashboard that nobody has seen here before', async () => {
    const { page, cards } = await opened();
    await load(page, '#ETH:line:1y,bitcoin,ETH:line:1y');
    await untilDrawn(cards.nth(1));
    expect(await titlesOf(page)).toEqual([ETH, BTC]);
    await expect.poll(() => hashOf(page)).toBe('#ETH:line:1y,btc-bitcoin');
  });

  test('names what is not known, with what can be done, and shows the others', async () => {
    const { page, cards } = await opened();
    await load(page, '#BTC,NOSUCH,ETH');
    await untilDrawn(cards.nth(1));
    const note = page.locator('#address-note');
    await note.getByText('Coin "NOSUCH" was not found').waitFor();
    await note.getByRole('button', { name: 'coinsearch NOSUCH' }).waitFor();
    expect(await titlesOf(page)).toEqual([BTC, ETH]);
    expect(await hashOf(page)).toBe('#BTC,ETH');
    await note.getByRole('button', { name: 'Dismiss' }).click();
    expect(await note.isVisible()).toBe(false);
  });

  test('goes back and forward with the browser, without loading', async () => {
    const { page, command, cards } = await opened();
    await page.evaluate(() => {
      document.body.dataset.same = 'yes';
    });
    await command('cchart BTC');
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    await command('cchart ETH');
    await expect.poll(() => hashOf(page)).toBe('#BTC,ETH');
    await page.getByRole('button', { name: 'Market' }).click();
    await page.locator('#market').waitFor();

    await page.goBack();
    await cards.nth(1).waitFor();
    await page.goBack();
    await expect.poll(() => titlesOf(page)).toEqual([BTC]);
    await page.goBack();
    await page.locator('#market').waitFor();
    expect(await cards.count()).toBe(0);
    await page.goForward();
    await page.goForward();
    await expect.poll(() => titlesOf(page)).toEqual([BTC, ETH]);
    await untilDrawn(cards.nth(1));
    await page.goForward();
    await page.locator('#market').waitFor();
    expect(await hashOf(page)).toBe('#BTC,ETH');
    expect(await page.evaluate(() => document.body.dataset.same)).toBe('yes');
  });

  test('takes a change of the time as a step, and a change of the look as none', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    await cards.getByRole('button', { name: '3M' }).click();
    await expect.poll(() => hashOf(page)).toBe('#BTC:3m');
    const length = await page.evaluate(() => history.length);
    await command('cchart BTC --range 3m --line');
    await expect.poll(() => hashOf(page)).toBe('#BTC:line:3m');
    expect(await page.evaluate(() => history.length)).toBe(length);
    await page.goBack();
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    await untilDrawn(cards);
  });

  test('follows an address typed by hand, and one without cards means the first screen', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await goTo(page, '#SOL,ETH');
    await expect.poll(() => titlesOf(page)).toEqual([SOL, ETH]);
    await untilDrawn(cards.nth(1));
    await goTo(page, '');
    await page.locator('#market').waitFor();
    await expect.poll(() => hashOf(page)).toBe('#SOL,ETH');
    await page.getByRole('button', { name: 'Charts (2)' }).click();
    expect(await titlesOf(page)).toEqual([SOL, ETH]);
    await page.goBack();
    await page.locator('#market').waitFor();
  });

  test.each([
    ['#%E0%A4%A', 'One card of this address could not be read.'],
    ['#__proto__', 'Coin "__proto__" was not found'],
    ['#<img src=x onerror=alert(1)>', 'Coin "<img src=x onerror=alert(1)>" was not found'],
    [`#BTC${',ETH'.repeat(5000)}`, 'This address is too long for a dashboard.'],
  ])('does no harm by %#', async (hash, text) => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    await goTo(page, hash);
    await page.locator('#address-note').getByText(text).waitFor();
    expect(await titlesOf(page)).toEqual([BTC]);
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    expect(await cards.count()).toBe(1);
    await load(page, hash);
    await page.locator('#address-note').getByText(text).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('marketdata.cards'))).toContain('btc-bitcoin');
  });

  test('has at most twenty cards, and each coin once', async () => {
    const { page, cards } = await opened();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await load(page, `#${Array.from({ length: 400 }, (_, index) => `BTC:${(index % 300) + 1}x`).join()}`);
    await expect.poll(() => cards.count()).toBe(20);
    await page.getByText('An address shows at most 20 cards: 380 more were left out.').waitFor();
    expect(asked.filter((url) => url.includes('/resolve/'))).toHaveLength(1);
  });

  test('belongs to its tab: two tabs with other cards leave each other alone', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await expect.poll(() => hashOf(page)).toBe('#BTC');
    const other = await page.context().newPage();
    await other.goto(new URL('#SOL', page.url()).href);
    await untilDrawn(other.getByRole('article'));
    // An address that was only looked at is not the reader's own dashboard.
    const third = await page.context().newPage();
    await third.goto(new URL('/', page.url()).href);
    await untilDrawn(third.getByRole('article'));
    expect(await titlesOf(third)).toEqual([BTC]);

    await command('cchart ETH');
    await expect.poll(() => hashOf(page)).toBe('#BTC,ETH');
    await other.reload();
    await untilDrawn(other.getByRole('article'));
    expect([await titlesOf(other), await hashOf(other)]).toEqual([[SOL], '#SOL']);
    await page.reload();
    await untilDrawn(cards.nth(1));
    expect(await titlesOf(page)).toEqual([BTC, ETH]);
    await third.reload();
    await untilDrawn(third.getByRole('article'));
    expect(await titlesOf(third)).toEqual([BTC]);
  });

  test('is left alone by the link to the command field', async () => {
    const { page } = await opened();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('command');
    expect(await hashOf(page)).toBe('');
  });
});

describe('without a network', () => {
  test('the page says of when its prices are, keeps them, and asks anew when there is one', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const line = page.locator('#offline');
    await page.context().setOffline(true);
    // With the date, if that is yesterday's by now.
    await line.getByText(/^Offline: prices are of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\.$/).waitFor();
    await command('cprice ETH');
    await page.getByRole('log').getByText('this machine is offline').waitFor();
    await page.getByRole('button', { name: 'Market' }).click();
    expect(await line.isVisible()).toBe(true);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/.*\//, '')));
    await page.context().setOffline(false);
    await line.waitFor({ state: 'hidden' });
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['overview', 'tickers', 'sparklines']));
  });

  test('an address waits for the network with what it could not look up', async () => {
    const { page, cards } = await opened();
    await page.context().setOffline(true);
    await goTo(page, '#BTC');
    await page.getByRole('button', { name: 'Try again to load the cards of this address' }).waitFor();
    expect(await hashOf(page)).toBe('#BTC');
    await page.context().setOffline(false);
    await untilDrawn(cards);
    expect(await page.locator('#address-note').isVisible()).toBe(false);
  });
});
