import { expect, onTestFinished, test } from 'vitest';
import { keys, openScreen } from './screen.ts';
import { resolved, type Stubs, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const btc: Stubs = { resolve: () => resolved(), ticker: () => tickerOf() };

async function urlOf(stubs: Stubs): Promise<string> {
  const service = await startStubService(stubs);
  onTestFinished(service.close);
  return service.url;
}

test('a price in a terminal stays when the program has ended', async () => {
  const screen = openScreen('cprice', ['BTC'], { url: await urlOf(btc) });
  expect(await screen.ended()).toBe(0);
  expect(screen.text()).toMatch(/^╭─ Bitcoin \(BTC\) ─+╮\n│ Price: {7}\$67,123\.46 +│\n/);
});

test('the prompt runs what is typed', async () => {
  const screen = openScreen('marketdata', [], { url: await urlOf(btc) });
  await screen.shows('marketdata>');
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Source:');
  screen.type(keys.ctrlD);
  expect(await screen.ended()).toBe(0);
});

test('the prompt runs what its help offers, with the options of the programs', async () => {
  const screen = openScreen('marketdata', [], { url: await urlOf(btc), rows: 60 });
  await screen.shows('marketdata>');
  screen.type(`help${keys.enter}`);
  await screen.shows('alert <symbol>');
  expect(screen.text()).not.toMatch(/completion|serve/);
  screen.type(`hold${keys.enter}`);
  await screen.shows('You hold nothing yet.');
  screen.type(`serve${keys.enter}`);
  await screen.shows('serve is for a shell: marketdata serve');
  screen.type(`cprice BTC --format csv${keys.enter}`);
  await screen.shows('BTC,Bitcoin,btc-bitcoin');
  screen.type(`cprice BTC --watch${keys.enter}`);
  await screen.shows('next in');
  screen.type(keys.ctrlC);
  await screen.shows(/Source:.*\n╰─+╯\nmarketdata>$/);
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows(/Source:.*Source:/s); // no option of the line before is left
});
