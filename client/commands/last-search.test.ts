import { expect, test } from 'vitest';
import { candles, entry, resolved, stubApi, tickerOf } from '../../test/client/stub-api.ts';
import { ApiFailure } from '../sdk/index.ts';
import { lastSearchInMemory } from './coins.ts';
import { sessionRates } from './currency.ts';
import { resultLines } from './format/result.ts';
import { plainText } from './format/text.ts';
import { runLine } from './run.ts';
import { sessionTickers } from './tickers.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 4, 0);

/** Runs lines one after another; the output of the last one, and what was asked for it. */
async function session(...lines: readonly string[]) {
  const data = candles([[100, 110, 95, 105]]);
  const { api, calls } = stubApi({
    search: ({ q }) => ({
      query: q,
      count: 2,
      results:
        q === 'nothing'
          ? []
          : q === 'old'
            ? [entry({ id: 'old-coin', is_active: false })]
            : [entry(), entry({ id: 'eth-ethereum', symbol: 'ETH', name: 'Ethereum' })],
    }),
    resolve: ({ symbol }) => {
      if (symbol === '7') throw new ApiFailure(404, 'Unknown symbol', { isAnswer: true });
      if (symbol === 'old-coin')
        return resolved({ symbol: 'OLD', id: symbol, name: 'Old', foundBy: 'id', is_active: false });
      return symbol === 'eth-ethereum'
        ? resolved({ symbol: 'ETH', id: symbol, name: 'Ethereum', foundBy: 'id' })
        : resolved({ symbol, id: 'x-x', name: `Coin ${symbol}` });
    },
    ticker: ({ id }) => {
      if (id === 'old-coin') throw new ApiFailure(404, 'No ticker', { isAnswer: true });
      return tickerOf({ id, symbol: 'ETH', name: 'Ethereum' });
    },
    ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
  });
  const now = () => NOW;
  const context = {
    api,
    rates: sessionRates(api, now),
    tickers: sessionTickers(now),
    lastSearch: lastSearchInMemory(),
    now,
    keySetting: '',
    hasKey: () => false,
  };
  let [text, asked]: [string, string[]] = ['', []];
  for (const line of lines) {
    const before = calls.length;
    text = plainText(resultLines(await runLine(line, context), { width: 80, now: NOW }));
    asked = calls.slice(before);
  }
  return { text, first: text.split('\n')[0], asked };
}

test('a number of the last list is its coin, which the first line says', async () => {
  const { first, asked } = await session('coinsearch e', 'cprice 2');
  expect(first).toBe('2 of your last search: Ethereum (ETH)');
  expect(asked).toEqual(['resolve {"symbol":"eth-ethereum"}', 'ticker {"id":"eth-ethereum"}']);
});

test('so it is for a chart', async () => {
  const { first, asked } = await session('coinsearch e', 'cchart 2');
  expect(first).toMatch(/^2 of your last search: Ethereum \(ETH\), 1 daily /);
  expect(asked[0]).toBe('resolve {"symbol":"eth-ethereum"}');
});

test('the list says so', async () => {
  expect((await session('coinsearch e')).text).toMatch(
    /\nFor a price: cprice <symbol>, such as cprice BTC, or by its number: cprice 1$/,
  );
});

test.each([
  ['no list', ['cprice 2'], '2'],
  ['a number beyond the list', ['coinsearch e', 'cprice 3'], '3'],
  ['a number that the list cannot have', ['coinsearch e', 'cprice 02'], '02'],
])('with %s it is a symbol', async (_name, lines, symbol) => {
  expect((await session(...lines)).asked[0]).toBe(`resolve {"symbol":"${symbol}"}`);
});

test('a search that found nothing leaves the list', async () => {
  const { first } = await session('coinsearch e', 'coinsearch nothing', 'cprice 1');
  expect(first).toMatch(/^1 of your last search: /);
});

test('the number of an inactive coin says which coin that is, and that it has no price', async () => {
  const { text } = await session('coinsearch old', 'cprice 1');
  expect(text).toBe(
    '1 of your last search is inactive: Old (OLD) has no price any more.\nTry: coinsearch OLD',
  );
});

test('a number beyond the list says how long the list is', async () => {
  const { text } = await session('coinsearch e', 'cprice 7');
  expect(text).toBe('Your last search found 2 coins, so it has no number 7.\nTry: coinsearch 7');
});
