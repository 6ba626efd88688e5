import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { keys, openScreen, type Screen } from './screen.ts';
import { candles, entry, resolved, type Stubs, tickerOf } from './stub-api.ts';
import { type StubService, startStubService } from './stub-service.ts';

const data = candles([
  [100, 110, 95, 105],
  [105, 120, 100, 118],
]);
const stubs: Stubs = {
  resolve: ({ symbol }) => resolved({ symbol, id: symbol.toLowerCase(), name: `Coin ${symbol}` }),
  ticker: ({ id }) => tickerOf({ id, symbol: id.toUpperCase(), name: `Coin ${id.toUpperCase()}` }),
  ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
  search: ({ q }) => ({ query: q, count: 2, results: [entry({ symbol: 'ETH' }), entry({ symbol: 'ETC' })] }),
};

interface Slow extends StubService {
  /** Lets all responses go. */
  answer(): void;
}

async function slowService(): Promise<Slow> {
  const { promise: ready, resolve: answer } = Promise.withResolvers<void>();
  const service = await startStubService(stubs, { ready: () => ready });
  onTestFinished(service.close);
  return { ...service, answer };
}

async function prompt(service: StubService, rows = 24): Promise<Screen> {
  const screen = openScreen('marketdata', [], { url: service.url, rows });
  await screen.shows('marketdata>');
  return screen;
}

/** The first line of a card. */
const TITLE = /^╭─ (.+?) ─+╮$/;

/** The lines from the first prompt on, of a card's frame only the title. */
function dialogue(screen: Screen): string[] {
  const lines = screen.allLines().map((line) => line.replace(TITLE, '$1'));
  return lines.slice(lines.findIndex((line) => line.startsWith('marketdata>')));
}

test('the prompt runs the commands of its help, with the options of the programs', async () => {
  const service = await slowService();
  service.answer();
  const screen = await prompt(service, 60);
  screen.type(`help${keys.enter}`);
  await screen.shows('wait until a price');
  expect(screen.text()).not.toMatch(/completion|serve/);
  screen.type(`hold${keys.enter}`);
  await screen.shows('You hold nothing yet.');
  screen.type(`serve${keys.enter}`);
  await screen.shows('serve is for a shell: marketdata serve');
  screen.type(`cprice BTC --format csv${keys.enter}`);
  await screen.shows('BTC,Coin BTC,btc');
  screen.type(`cprice BTC --watch${keys.enter}`);
  await screen.shows('next in');
  screen.type(keys.ctrlC);
  await screen.shows(/Source:.*\n╰─+╯\nmarketdata>$/);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows(/Source:.*Source:/s); // no option of the line before is left
  screen.resize(40, 20);
  screen.type(`cchart BTC --line${keys.enter}`);
  await screen.shows(/candles\nmarketdata>$/); // in the window as it is now
  expect(screen.lines()[0]).toMatch(/^Coin BTC \(BTC\), 2 daily/);
  screen.type(keys.ctrlD);
  expect(await screen.ended()).toBe(0);
});

test('Tab completes commands and symbols, a quote that is not closed is reported, and the next session has the history', async () => {
  const service = await slowService();
  service.answer();
  const screen = await prompt(service);
  screen.type('cp\t');
  await screen.shows(/> cprice$/);
  screen.type('e\t');
  await screen.shows(/> cprice ET$/); // as far as both agree
  screen.type(`C${keys.enter}`);
  await screen.shows('Coin ETC (ETC)');
  screen.type(`cprice "BTC${keys.enter}`);
  await screen.shows('The quote " is not closed\nTry: help\n');
  screen.type(`exit${keys.enter}`);
  expect(await screen.ended()).toBe(2); // as the last command
  const file = join(screen.home, '.local/state/marketdata/history');
  expect(readFileSync(file, 'utf8')).toBe('exit\ncprice "BTC\ncprice ETC\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const next = openScreen('marketdata', [], { url: service.url, home: screen.home });
  await next.shows('marketdata>');
  next.type(keys.up.repeat(3));
  await next.shows(/> cprice ETC$/);
});

test('Ctrl-C cancels the running command, discards typed-ahead keys and returns to the prompt; the next one exits', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  await expect.poll(() => service.requestHeaders()).toHaveLength(1); // "Loading" may stand before it has arrived
  screen.type(`cprice ETH${keys.enter}cpr${keys.ctrlC}`);
  await screen.shows(/Cancelled\nmarketdata>$/);

  expect(dialogue(screen)).toEqual(['marketdata> cprice BTC', 'Cancelled', 'marketdata>']);
  await expect.poll(() => service.cancelled()).toBe(1);
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(130);
});

test('keys typed while a command runs are not echoed, and appear in the next prompt', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type('cpricx');
  screen.type(`${keys.backspace}e ETH`);
  await sleep(200);
  expect(dialogue(screen)).toEqual(['marketdata> cprice BTC', expect.stringMatching(/^\S Loading …$/)]);

  service.answer();
  await screen.shows('marketdata> cprice ETH');
  expect(dialogue(screen).slice(0, 2)).toEqual(['marketdata> cprice BTC', 'Coin BTC (BTC)']);
  expect(dialogue(screen).at(-1)).toBe('marketdata> cprice ETH');
  screen.type(keys.enter);
  await screen.shows('Coin ETH (ETH)');
});

test('lines typed ahead run in their order', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type(`cprice ETH${keys.enter}exit${keys.enter}`);
  service.answer();
  expect(await screen.ended()).toBe(0);
  expect(dialogue(screen).filter((line) => /^marketdata>|^Coin/.test(line))).toEqual([
    'marketdata> cprice BTC',
    'Coin BTC (BTC)',
    'marketdata> cprice ETH',
    'Coin ETH (ETH)',
    'marketdata> exit',
  ]);
});

test('Ctrl-C ends a program at once with 130 and leaves no half line', async () => {
  const service = await slowService();
  const screen = openScreen('cprice', ['BTC'], { url: service.url });
  await screen.shows('Loading');
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(130);
  expect(screen.lines()).toEqual([]);
  expect(screen.cursor()).toEqual({ column: 0, row: 0 });
});
