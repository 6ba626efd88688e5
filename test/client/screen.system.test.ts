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
  expect(screen.lines().slice(0, 2)).toEqual(['Bitcoin (BTC)', 'Price:       $67,123.46']);
});

test('the prompt runs what is typed', async () => {
  const screen = openScreen('marketdata', [], { url: await urlOf(btc) });
  await screen.shows('marketdata>');
  screen.type(`cprice BTC${keys.enter}`);
  await screen.shows('Source:');
  screen.type(keys.ctrlD);
  expect(await screen.ended()).toBe(0);
});
