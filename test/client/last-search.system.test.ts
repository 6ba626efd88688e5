import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runProgram } from './program.ts';
import { entry, resolveIn, type Stubs, tickerOf } from './stub-api.ts';
import { startStubService } from './stub-service.ts';

const results = ['btc-bitcoin', 'eth-ethereum', 'toto-totoro-inu-?'].map((id) => entry({ id }));
const stubs: Stubs = {
  search: ({ q }) => ({ query: q, count: results.length, results }),
  resolve: resolveIn(results),
  ticker: ({ id }) => tickerOf({ id, symbol: 'ETH', name: 'Ethereum' }),
};

test('a number of a list means its coin to the next program, and the ids of a pipe are its last words', async () => {
  const service = await startStubService(stubs);
  onTestFinished(service.close);
  const env = { XDG_STATE_HOME: mkdtempSync(join(inject('runFolder'), 'state-')) };
  const run = (program: string, word: string) => runProgram(program, [word], { url: service.url, env });

  const { stdout: list } = await run('coinsearch', 'e');
  const rows = list.split('\n').filter((line) => /^\d\./.test(line));
  expect(rows.map((row) => row.split(/\s+/).at(-1))).toEqual(results.map(({ id }) => id));

  const { stdout: price } = await run('cprice', '2');
  expect(price).toMatch(/^2 of your last search: Ethereum \(ETH\)\n/);
});
