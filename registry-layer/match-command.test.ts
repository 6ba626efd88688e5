import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createSimulated } from '../local/simulated/index.ts';
import { main } from './main.ts';
import { wellKnownCoins } from './simulated/well-known.ts';

const folder = mkdtempSync(join(tmpdir(), 'match-'));
afterAll(() => rmSync(folder, { recursive: true }));

const simulated = createSimulated();
const urls = {
  coins: '/coins',
  tickers: '/tickers',
  list: '/coins/list?include_platform=true',
  markets: '/coins/markets?vs_currency=usd&per_page=250',
};
/** The files of both providers, as their answers were stored. */
const files = Object.entries(urls).flatMap(([name, url], index) => {
  const source = index < 2 ? simulated.provider : simulated.coingecko;
  return [`--${name}`, fileWith(name, source.answer({ url, headers: {} }).body)];
});
const platform = 'eth-ethereum';
const { body } = simulated.provider.answer({ url: `/contracts/${platform}`, headers: {} });
const contracts = ['--contracts', fileWith('contracts', `{"${platform}":${body}}`)];

function fileWith(name: string, content: string): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, content);
  return path;
}

let printed: string;
const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
  printed += text;
  return true;
});
beforeEach(() => {
  printed = '';
  errors.mockClear();
});

test('prints a line for each pair, none of them wrong, and a summary on stderr', async () => {
  expect(await main(['match', ...files, ...contracts])).toBe(0);

  const pairs = printed
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const known = new Map(wellKnownCoins.map(({ id, coinGeckoId }) => [id, coinGeckoId]));
  expect(pairs.filter(([ours = '', theirs]) => known.get(ours) !== theirs)).toEqual([]);
  expect(pairs.length).toBeGreaterThan(220);
  expect(errors.mock.calls).toEqual([
    [
      expect.stringMatching(
        new RegExp(`^${pairs.length} of \\d+ active coins matched with \\d+ of CoinGecko's; \\d+ refused$`),
      ),
    ],
  ]);
});

test('explains its refusals with --explain', async () => {
  await main(['match', ...files, '--explain']);
  expect(errors.mock.calls.flat()).toContain(
    'eth-ethereum-token: the symbol alone, without a price and market cap of its own (l2-standard-bridged-weth-base)',
  );
});

test.each([
  [['--coins', 'x'], '--tickers is missing'],
  [[...files, '--sauce'], "Unknown option '--sauce'"],
])('answers wrong usage with exit code 2: %j', async (args, message) => {
  expect(await main(['match', ...args])).toBe(2);
  expect(errors.mock.calls).toEqual([[expect.stringContaining(message)]]);
});

test('names a file with another content', async () => {
  const other = fileWith('other', '{}');
  expect(await main(['match', ...files, '--list', other])).toBe(1);
  expect(errors.mock.calls).toEqual([[`The coins were not matched: ${other}: the answer is not a list`]]);
});
