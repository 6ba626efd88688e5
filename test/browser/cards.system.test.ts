import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { phone, useBrowser } from './browser-test.ts';
import { untilDrawn, visitAnew } from './open-page.ts';

const opened = useBrowser({ store: true });

const CANDLES = '**/api/marketdata/ohlcv/**';
const TICKERS = '**/api/marketdata/ticker*/**';
const PRICES = '**/api/marketdata/tickers?**';
const MINUTE_MS = 60_000;

/** The requests of a page from now on whose address has that text. */
function requestsWith(page: Page, text: string): string[] {
  const urls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes(text)) urls.push(request.url());
  });
  return urls;
}

const optionsOf = (card: Locator) => card.getByRole('button', { name: /^Options of/ });
const priceOf = (card: Locator) => card.locator('.price').innerText();
const pressedOf = (card: Locator) =>
  card.locator('.ranges').getByRole('button', { pressed: true }).allInnerTexts();
const focusedLabel = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  );

describe('one price of a coin', () => {
  test('is in the log and on its card, however it was asked for', async () => {
    const { page, command, cards, log } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await page.route(TICKERS, (route) => changedPrice(route, 123_456.78));
    await command('cprice BTC');
    await log.getByText('$123,456.78').waitFor();
    expect(await priceOf(cards)).toBe('$123,456.78');
    expect(await cards.locator('.legend').innerText()).toContain('C $123,456.78');
    expect(await cards.locator('.chart').getAttribute('aria-label')).toContain('last $123,456.78, 30d ');
    // With the date, if that is yesterday's by now.
    expect(await cards.locator('.age').innerText()).toMatch(/^as of (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC$/);
  });

  test('is of one time, in the log, on its card and at its last candle', async () => {
    const { command, cards, log } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await command('clear');
    await command('cprice BTC');
    await log.getByText('Price:').waitFor();
    const told = await log.innerText();
    const price = /^Price: +(\S+)$/m.exec(told)?.[1] ?? 'no price';
    // With the date, if that is yesterday's by now, which makes the line too long for one.
    const time =
      / (as of (?:\d{4}-\d\d-\d\d )?\d\d:\d\d UTC)/.exec(told.replaceAll(/\s+/g, ' '))?.[1] ?? 'no time';
    expect(await cards.locator('.price').innerText()).toBe(price);
    expect(await cards.locator('.legend').innerText()).toMatch(
      new RegExp(`^C ${price.replaceAll(/[$.]/g, '\\$&')}$`, 'm'),
    );
    expect(await cards.locator('.age').innerText()).toBe(time);
  });

  test('is asked for anew by Refresh, and so are the candles', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const candles = requestsWith(page, '/ohlcv/');
    await page.route(PRICES, (route) => changedPrices(route, 98_765.43));
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => priceOf(cards)).toBe('$98,765.43');
    expect(candles).toHaveLength(1);
  });
});

describe('a chart that stays', () => {
  test('after a failed change of its range keeps its range, under a banner with the next steps', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const label = await cards.locator('.chart').getAttribute('aria-label');
    await page.route(CANDLES, (route) => route.abort());
    await cards.getByRole('button', { name: '1Y' }).click();
    const banner = cards.getByRole('alert');
    await banner.getByText('Chart fetch failed for BTC').waitFor();
    expect(await pressedOf(cards)).toEqual(['1M']);
    expect(await cards.locator('.chart').getAttribute('aria-label')).toBe(label);
    expect(await cards.locator('canvas').first().isVisible()).toBe(true);

    await banner.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => focusedLabel(page)).toBe('Try again to load Bitcoin (BTC)');
    await page.unroute(CANDLES);
    await page.keyboard.press('Enter');
    await banner.waitFor({ state: 'hidden' });
    await expect.poll(() => focusedLabel(page)).toMatch(/^Line chart of Bitcoin/);
    expect(await pressedOf(cards)).toEqual(['1Y']);
    await expect.poll(() => cards.locator('.chart').getAttribute('aria-label')).toContain('365 daily');
  });

  test('after a failed change of its range has its banner until it is tried again, though it is refreshed', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    await command('cchart BTC');
    await untilDrawn(cards);
    const aYear = (url: URL) => url.searchParams.get('limit') === '365';
    await page.route(aYear, (route) => route.abort());
    await cards.getByRole('button', { name: '1Y' }).click();
    const again = cards.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    const answered = page.waitForResponse((response) => response.url().includes('/ohlcv/'));
    await page.clock.fastForward(20 * MINUTE_MS);
    await (await answered).finished();
    await cards.locator('[aria-busy]').waitFor({ state: 'detached' });
    await page.unroute(aYear);
    await again.click();
    await expect.poll(() => pressedOf(cards)).toEqual(['1Y']);
  });

  test('shows the wanted range as pressed until the answer comes', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(CANDLES, async (route) => {
      await promise;
      await route.abort();
    });
    await cards.getByRole('button', { name: '7D' }).click();
    expect(await pressedOf(cards)).toEqual(['7D']);
    expect(await cards.getAttribute('aria-busy')).toBe('true');
    resolve();
    await expect.poll(() => pressedOf(cards)).toEqual(['1M']);
    const banner = cards.getByRole('alert');
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    expect(await banner.isVisible()).toBe(false);
    expect(await focusedLabel(page)).toBe('Bitcoin (BTC)');
  });

  test('that is offline says so', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await page.context().setOffline(true);
    await cards.getByRole('button', { name: 'Refresh' }).click();
    await cards.getByRole('alert').getByText('You are offline.').waitFor();
  });
});

describe('the age of a card', () => {
  test('grows until its data’s lifetime ends, and then it asks by itself', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    await command('cchart BTC');
    await untilDrawn(cards);
    const [prices, candles] = [requestsWith(page, '/tickers?'), requestsWith(page, '/ohlcv/')];
    await page.clock.runFor(20_000);
    expect([...prices, ...candles]).toEqual([]);
    await page.clock.fastForward(20 * MINUTE_MS);
    await expect.poll(() => [prices.length, candles.length]).toEqual([1, 1]);
    expect(prices[0]).toContain('ids=btc-bitcoin');
  });

  test('is told in a warning colour while nothing newer comes, without a banner', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    await command('cchart BTC');
    await untilDrawn(cards);
    await page.route('**/api/**', (route) => route.abort());
    const candles = requestsWith(page, '/ohlcv/');
    await page.clock.fastForward(25 * MINUTE_MS);
    await expect.poll(() => cards.locator('.age.old').innerText()).toMatch(/^[2-4]\d min old$/);
    expect(await cards.getByRole('alert').count()).toBe(0);
    await page.clock.runFor(10 * MINUTE_MS);
    expect(candles.length).toBeLessThan(8); // ever later after failures
  });

  test('is of no interest while the page is hidden, and made good when it comes back', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    await command('cchart BTC');
    await untilDrawn(cards);
    const asked = requestsWith(page, '/api/');
    await setHidden(page, true);
    await page.clock.runFor(25 * MINUTE_MS);
    expect(asked).toEqual([]);
    await setHidden(page, false);
    await expect.poll(() => asked.length).toBe(3); // price and candles, and the market's figures in the header
  });
});

describe('comparing', () => {
  test('adds a coin by its symbol, tells what is wrong beside the field, and takes it away again', async () => {
    const { page, command, cards, accessibilityProblems } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await optionsOf(cards).click();
    const field = cards.getByLabel('Compare Bitcoin (BTC) with');
    for (const [typed, problem] of [
      ['', 'Enter a symbol, such as ETH.'],
      ['NOSUCH', 'Coin "NOSUCH" was not found'],
      ['btc', 'Bitcoin is shown already.'],
    ] as const) {
      await field.fill(typed);
      await field.press('Enter');
      await cards.getByRole('alert').getByText(problem).waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    }
    await field.fill('eth');
    await field.press('Enter');
    const legend = cards.locator('.legend');
    await expect
      .poll(() => legend.innerText())
      .toMatch(/^since .*\s+BTC\s+[+-]?[\d.]+%\s+ETH\s+[+-]?[\d.]+%$/);
    // The same change as the pill's, and a stroke of its own for each.
    const change = (await cards.locator('.pill').innerText()).replace('30d ', '');
    expect(await legend.innerText()).toContain(change);
    expect(await cards.locator('.stroke').count()).toBe(2);
    expect(await cards.locator('.chart').getAttribute('aria-label')).toContain(
      'compared with Ethereum (ETH)',
    );
    expect(await accessibilityProblems()).toEqual([]);

    await page.reload();
    await untilDrawn(cards);
    await expect.poll(() => legend.innerText()).toContain('ETH');
    await optionsOf(cards).click();
    await cards.getByRole('button', { name: 'Stop comparing with Ethereum (ETH)' }).click();
    await expect.poll(() => legend.innerText()).toMatch(/O \$/);
  });

  test('is typed too, with at most four others', async () => {
    const { command, cards } = await opened();
    await command('cchart BTC --compare ETH,SOL,DOGE,ADA --range 3m');
    await untilDrawn(cards);
    expect(await cards.locator('.compared').count()).toBe(5);
    await optionsOf(cards).click();
    await cards.getByLabel('Compare Bitcoin (BTC) with').fill('XRP');
    await cards.getByRole('button', { name: 'Compare', exact: true }).click();
    await cards.getByText('At most 4 coins: take one away first.').waitFor();
  });
});

describe('the keyboard', () => {
  test('goes over the ranges with arrow keys, and hears the crosshair', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await untilDrawn(cards);
    await cards.getByRole('button', { name: '1M' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => cards.locator('.chart').getAttribute('aria-label')).toContain('90 daily');
    expect(await pressedOf(cards)).toEqual(['3M']);
    await page.keyboard.press('End');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('1Y');

    const chart = cards.getByRole('application', { name: /^Line chart of Bitcoin/ });
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => cards.locator('.heard').textContent())
      .toMatch(/^\d+ \w{3}: open \$[\d,.]+, high \$[\d,.]+, low \$[\d,.]+, close \$[\d,.]+, volume \$/);
  });

  test('opens the menu and comes back from it, and from a chart that was expanded', async () => {
    const { page, command, cards } = await opened();
    await command('cchart BTC');
    await command('cchart ETH');
    await untilDrawn(cards.nth(1));
    await optionsOf(cards.nth(0)).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await focusedLabel(page)).toBe('Options of Bitcoin (BTC)');
    expect(await optionsOf(cards.nth(0)).getAttribute('aria-expanded')).toBe('false');

    await cards.nth(0).getByRole('button', { name: 'Expand' }).focus();
    await page.keyboard.press('Enter');
    expect(await cards.count()).toBe(1);
    const tall = (await cards.boundingBox())?.height ?? 0;
    await page.keyboard.press('Escape');
    expect(await cards.count()).toBe(2);
    expect((await cards.nth(0).boundingBox())?.height).toBeLessThan(tall);
    expect(await focusedLabel(page)).toBe('Bitcoin (BTC)');
  });
});

describe('a removed card', () => {
  test('comes back to its place for ten seconds, without being asked for again', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    for (const symbol of ['BTC', 'ETH', 'SOL']) await command(`cchart ${symbol}`);
    await untilDrawn(cards.nth(2));
    const candles = requestsWith(page, '/ohlcv/');
    await page.clock.pauseAt(Date.now() + 30_000); // however long the next steps take, it is offered
    await cards.nth(1).getByRole('button', { name: 'Remove' }).click();
    expect(await focusedLabel(page)).toBe('Solana (SOL)');
    await page.getByText('Ethereum removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.clock.resume();
    await untilDrawn(cards.nth(1));
    expect(await cards.getByRole('heading').allInnerTexts()).toEqual([
      'Bitcoin (BTC)',
      'Ethereum (ETH)',
      'Solana (SOL)',
    ]);
    expect(await focusedLabel(page)).toBe('Ethereum (ETH)');
    expect(candles).toEqual([]);
  });

  test('is gone after that', async () => {
    const { page, command, cards } = await opened();
    await page.clock.install();
    await page.reload();
    await command('cchart BTC');
    await untilDrawn(cards);
    await cards.getByRole('button', { name: 'Remove' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await page.clock.runFor(10_500);
    expect(await undo.isVisible()).toBe(false);
  });
});

test('cards change places by their heads', async () => {
  const { page, command, cards } = await opened();
  for (const symbol of ['BTC', 'ETH']) await command(`cchart ${symbol}`);
  await untilDrawn(cards.nth(1));
  const names = () => cards.getByRole('heading').allInnerTexts();
  const drag = async () => {
    const from = await cards.nth(0).locator('.grip').boundingBox();
    const to = await cards.nth(1).boundingBox();
    await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 20);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + 100, (to?.y ?? 0) + 100, { steps: 5 });
  };
  await drag();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  expect(await names()).toEqual(['Bitcoin (BTC)', 'Ethereum (ETH)']);
  await drag();
  await page.mouse.up();
  expect(await names()).toEqual(['Ethereum (ETH)', 'Bitcoin (BTC)']);
  await page.reload();
  await untilDrawn(cards.nth(1));
  expect(await names()).toEqual(['Ethereum (ETH)', 'Bitcoin (BTC)']);
});

describe('what can be taken along', () => {
  test('is a picture, a table and a link', async () => {
    const { page, command, cards } = await opened({ permissions: ['clipboard-read', 'clipboard-write'] });
    await command('cchart BTC --range 3m');
    await untilDrawn(cards);

    const picture = await saved(page, cards, 'Save PNG');
    expect(picture.name).toMatch(/^BTC-90d-\d{4}-\d\d-\d\d\.png$/);
    expect(picture.content.subarray(0, 8)).toEqual(
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    );
    const [width, height] = [picture.content.readUInt32BE(16), picture.content.readUInt32BE(20)];
    expect(width).toBeGreaterThan(300);
    expect(height).toBeGreaterThan(200);

    const table = await saved(page, cards, 'Save CSV');
    expect(table.name).toMatch(/^BTC-90d-.*\.csv$/);
    const lines = table.content.toString().split('\r\n');
    expect(lines[0]).toBe('time_open,open,high,low,close,volume,coin,currency,source,quality');
    expect(lines).toHaveLength(92);
    expect(lines[1]).toMatch(
      /^\d{4}-\d\d-\d\dT00:00:00.000Z,[\d.]+,[\d.]+,[\d.]+,[\d.]+,\d*\.?\d*,btc-bitcoin,USD,simulated,\w+$/,
    );

    await optionsOf(cards).click();
    await cards.getByRole('button', { name: 'Copy link' }).click();
    await page.locator('#panel-status').getByText('Link copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${new URL(page.url()).origin}/#BTC:3m`,
    );
  });
});

test('a picture has price, source and what is simulated written into it', async () => {
  const { page, command, cards } = await opened();
  await command('cchart BTC');
  await untilDrawn(cards);
  await page.evaluate(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
      document.documentElement.dataset.written += `\n${text}`;
      fillText.call(this, text, ...at);
    };
  });
  await saved(page, cards, 'Save PNG');
  const written = await page.evaluate(() => document.documentElement.dataset.written);
  expect(written).toContain('Bitcoin (BTC)');
  expect(written).toContain(await priceOf(cards));
  expect(written).toContain('simulated data, not real prices');
});

test('the price of a card is its largest text, in figures of one width', async () => {
  const { command, cards } = await opened();
  await command('cchart BTC');
  await untilDrawn(cards);
  const { size, figures, others } = await cards.evaluate((card) => {
    const sizeOf = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize);
    const price = card.querySelector('.price');
    const rest = [...card.querySelectorAll('*')].filter((each) => each !== price && each.textContent !== '');
    return {
      size: price ? sizeOf(price) : 0,
      figures: price ? getComputedStyle(price).fontVariantNumeric : '',
      others: Math.max(...rest.filter((each) => !each.contains(price)).map(sizeOf)),
    };
  });
  expect(size).toBeGreaterThanOrEqual(28);
  expect(size).toBeLessThanOrEqual(32);
  expect(size).toBeGreaterThan(others);
  expect(figures).toContain('tabular-nums');
});

test('a logarithmic scale is kept over a reload', async () => {
  const { page, command, cards } = await opened();
  await command('cchart BTC --range 1y');
  await untilDrawn(cards);
  const log = cards.getByRole('button', { name: 'Log scale' });
  await optionsOf(cards).click();
  await log.click();
  await page.reload();
  await untilDrawn(cards);
  await optionsOf(cards).click();
  expect(await log.getAttribute('aria-pressed')).toBe('true');
});

test('twenty cards come with their prices in one request, and ask for candles while they are seen', async () => {
  const { page, command, cards } = await opened();
  await page.clock.install();
  await page.reload();
  await command('cchart BTC');
  await untilDrawn(cards);
  const symbols = await topSymbols(page);
  expect(symbols).toHaveLength(20);
  await page.evaluate(keepCards, symbols);
  const [prices, single] = [requestsWith(page, '/tickers?'), requestsWith(page, '/ticker/')];
  await visitAnew(page);
  await untilDrawn(cards.nth(19));
  expect(await cards.count()).toBe(20);
  expect({ prices: prices.length, single: single.length }).toEqual({ prices: 1, single: 0 });

  const candles = requestsWith(page, '/ohlcv/');
  await page.clock.fastForward(15 * MINUTE_MS);
  await page.clock.runFor(MINUTE_MS);
  await expect.poll(() => candles.length).toBeGreaterThan(0);
  expect(candles.length).toBeLessThan(12);
  expect(prices.length).toBeLessThan(8);
});

test.each([
  [320, 'light'],
  [390, 'dark'],
  [768, 'light'],
  [1440, 'dark'],
  [1920, 'light'],
] as const)(
  'at %i pixels in %s nothing sticks out, fingers hit what they mean, and axe finds nothing',
  async (width, colorScheme) => {
    const { page, command, cards, accessibilityProblems } = await opened({
      ...phone,
      viewport: { width, height: 900 },
      colorScheme,
      hasTouch: width < 1000,
    });
    await command('cchart BTC');
    await command('cchart ETH --compare SOL,DOGE');
    await untilDrawn(cards.nth(1));
    for (const card of [cards.nth(0), cards.nth(1)]) {
      expect(await card.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    }
    await optionsOf(cards.nth(0)).click();
    const targets = await cards
      .nth(0)
      .locator('button, select, input')
      .evaluateAll((each) =>
        each
          .map((target) => target.getBoundingClientRect())
          .filter((box) => box.width > 0)
          .map((box) => Math.min(box.width, box.height)),
      );
    expect(Math.min(...targets)).toBeGreaterThanOrEqual(44);
    const menu = cards.nth(0).locator('.menu');
    expect(await menu.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    expect(await accessibilityProblems()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  },
);

test('in forced colours a pressed range looks pressed', async () => {
  const { page, command, cards } = await opened({ forcedColors: 'active' });
  await command('cchart BTC');
  await untilDrawn(cards);
  const colours = (name: string) =>
    cards
      .getByRole('button', { name, exact: true })
      .evaluate((each) => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor].join());
  expect(await colours('1M')).not.toBe(await colours('7D'));
  expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true);
});

type Route = Parameters<Parameters<Page['route']>[1]>[0];

/** The answer of the service with another price of a coin. */
async function changedPrice(route: Route, price: number): Promise<void> {
  const response = await route.fetch();
  const body = await response.json();
  body.data.quotes.USD.price = price;
  await route.fulfill({ response, json: body });
}

/** The same for several coins. */
async function changedPrices(route: Route, price: number): Promise<void> {
  const response = await route.fetch();
  const body = await response.json();
  for (const { ticker } of body.data.results) ticker.quotes.USD.price = price;
  await route.fulfill({ response, json: body });
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

async function saved(page: Page, card: Locator, action: string): Promise<{ name: string; content: Buffer }> {
  await optionsOf(card).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    card.getByRole('button', { name: action }).click(),
  ]);
  return { name: download.suggestedFilename(), content: await buffer(await download.createReadStream()) };
}

interface Listed {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
}

function topSymbols(page: Page): Promise<readonly Listed[]> {
  return page.evaluate(async () => {
    const answer = await fetch('/api/marketdata/tickers?limit=20');
    const { data } = await answer.json();
    return data.results.map(({ ticker }: { ticker: Listed }) => ({
      id: ticker.id,
      symbol: ticker.symbol,
      name: ticker.name,
    }));
  });
}

/** Stores cards as the page itself does. */
function keepCards(coins: readonly Listed[]): void {
  const cards = coins.map((coin) => ({
    coin,
    compared: [],
    command: { name: 'chart', symbol: coin.id, compare: [], protocol: 'coinpaprika', range: {} },
  }));
  localStorage.setItem('marketdata.cards', JSON.stringify(cards));
}
