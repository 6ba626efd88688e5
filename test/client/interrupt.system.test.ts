import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { keys, openScreen, type Screen } from './screen.ts';
import { resolved, type Stubs, tickerOf } from './stub-api.ts';
import { type StubService, startStubService } from './stub-service.ts';

const stubs: Stubs = {
  resolve: ({ symbol }) => resolved({ symbol, id: symbol.toLowerCase(), name: `Coin ${symbol}` }),
  ticker: ({ id }) => tickerOf({ id, symbol: id.toUpperCase(), name: `Coin ${id.toUpperCase()}` }),
};

interface Slow extends StubService {
  /** Lets all answers go. */
  answer(): void;
}

async function slowService(): Promise<Slow> {
  let answer = () => {};
  const ready = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const service = await startStubService(stubs, { ready: () => ready });
  onTestFinished(service.close);
  return { ...service, answer };
}

async function prompt(service: StubService): Promise<Screen> {
  const screen = openScreen('marketdata', [], { url: service.url });
  await screen.shows('marketdata>');
  return screen;
}

/** The first line of a card. */
const TITLE = /^╭─ (.+?) ─+╮$/;

/** The lines from the first prompt on, of a card's frame only the title. */
function dialogue(screen: Screen): string[] {
  const lines = screen.lines().map((line) => line.replace(TITLE, '$1'));
  return lines.slice(lines.findIndex((line) => line.startsWith('marketdata>')));
}

test('Ctrl-C cancels the command that runs and returns to the prompt; the next one leaves', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type(keys.ctrlC);
  await screen.shows(/Cancelled\nmarketdata>$/);

  expect(dialogue(screen)).toEqual(['marketdata> cprice BTC', 'Cancelled', 'marketdata>']);
  await expect.poll(() => service.cancelled()).toBe(1);
  screen.type(keys.ctrlC);
  expect(await screen.ended()).toBe(130);
});

test('Ctrl-C while a command runs forgets what was typed ahead', async () => {
  const screen = await prompt(await slowService());
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type(`cprice ETH${keys.enter}cpr${keys.ctrlC}`);
  await screen.shows(/Cancelled\nmarketdata>$/);
  screen.type(`help nonsense${keys.enter}`);
  await screen.shows(/Unknown command nonsense/);
  expect(screen.text()).not.toContain('ETH');
});

test('what is typed while a command runs is not drawn, and stands in the next prompt', async () => {
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
  const [first, title] = dialogue(screen);
  expect([first, title]).toEqual(['marketdata> cprice BTC', 'Coin BTC (BTC)']);
  expect(dialogue(screen).at(-1)).toBe('marketdata> cprice ETH');
  screen.type(keys.enter);
  await screen.shows('Coin ETH (ETH)');
});

test('lines typed ahead run in their order', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type(`cprice ETH${keys.enter}cprice SOL${keys.enter}exit${keys.enter}`);
  service.answer();
  expect(await screen.ended()).toBe(0);

  const told = screen
    .allLines()
    .map((line) => line.replace(TITLE, '$1'))
    .filter((line) => /^marketdata>|^Coin/.test(line));
  expect(told).toEqual([
    'marketdata> cprice BTC',
    'Coin BTC (BTC)',
    'marketdata> cprice ETH',
    'Coin ETH (ETH)',
    'marketdata> cprice SOL',
    'Coin SOL (SOL)',
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

test('a window that is resized while a command runs has its output whole', async () => {
  const service = await slowService();
  const screen = await prompt(service);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Loading');
  screen.type('cprice');
  screen.resize(60, 20);
  await sleep(200);
  service.answer();
  await screen.shows(/marketdata> cprice$/);
  expect(dialogue(screen).slice(0, 2)).toEqual(['marketdata> cprice BTC', 'Coin BTC (BTC)']);
  screen.resize(70, 24);
  screen.type(` SOL${keys.enter}`);
  await screen.shows('\n╭─ Coin SOL (SOL) ─');
});
