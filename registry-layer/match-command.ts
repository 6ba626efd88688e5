/** `npm run registry -- match`: matches stored responses of the two providers, without network access. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { addressOn, chainOfCoin } from '../shared/chains.ts';
import { runProgram } from '../shared/platform/command.ts';
import { object } from '../shared/platform/json-fields.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { coinProvider } from '../shared/providers/index.ts';
import { idSource } from '../shared/providers/sources.ts';
import { coinGeckoIdsText } from '../shared/registry/coingecko-ids.ts';
import { ourCoins, theirCoins } from './coin-lists.ts';
import { match } from './match.ts';

const matchUsage = `Usage: npm run registry -- match --coins FILE --tickers FILE --list FILE --markets FILE
         [--contracts FILE] [--explain]

Prints a line for each pair of our coins and ${idSource.title}'s: our id, a tab, theirs.

  --coins FILE      the provider's /coins
  --tickers FILE    the provider's /tickers
  --list FILE       ${idSource.title}'s /coins/list?include_platform=true
  --markets FILE    rows of ${idSource.title}'s /coins/markets, of all pages
  --contracts FILE  an object: for each platform the provider's /contracts/{platform}
  --explain         also prints the refused coins on stderr, with reasons`;

const file = { type: 'string' } as const;
const files = { coins: file, tickers: file, list: file, markets: file, contracts: file };

/** Runs the command and returns its exit status: 0 done, 1 failed, 2 wrong usage. */
export async function matchCommand(args: readonly string[]): Promise<number> {
  return runProgram(args, matchUsage, 'The coins were not matched', () => {
    const options = { ...files, explain: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const pathOf = (name: 'coins' | 'tickers' | 'list' | 'markets') => {
      const path = values[name];
      if (!path) throw new Error(`--${name} is missing`);
      return path;
    };
    const paths = { coins: pathOf('coins'), tickers: pathOf('tickers') };
    const theirs = { list: pathOf('list'), markets: pathOf('markets') };
    return () => printMatches({ ...values, ...paths, ...theirs });
  });
}

type Files = Record<'coins' | 'tickers' | 'list' | 'markets', string> & {
  readonly contracts?: string | undefined;
  readonly explain?: boolean | undefined;
};

async function printMatches(files: Files): Promise<void> {
  const entries = await readWith(files.coins, (json) => coinProvider.coins(console.error).read(json));
  const { tickers } = await readWith(files.tickers, (json) => coinProvider.tickers().read(json));
  const list = await readWith(files.list, (json) => idSource.listedCoins().read(json));
  const prices = await readWith(files.markets, (json) => idSource.listedPrices(1).read(json));
  const tokens = files.contracts ? await readWith(files.contracts, tokensIn) : undefined;
  const byId = new Map(tickers.map((ticker) => [ticker.id, ticker]));
  const ours = ourCoins(entries, (id) => byId.get(id)?.quotes.USD, tokens);
  const { pairs, refused } = match(ours, theirCoins(list, prices));
  process.stdout.write(coinGeckoIdsText(pairs));
  if (files.explain)
    for (const { ours, theirs, reason } of refused)
      console.error(`${ours}: ${reason} (${theirs.join(', ')})`);
  console.error(
    `${pairs.size} of ${ours.length} active coins matched with ${list.length} of ${idSource.title}'s; ${refused.length} refused`,
  );
}

/** Throws an Error that names the file. */
async function readWith<T>(path: string, read: (json: unknown) => T): Promise<T> {
  try {
    return read(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** The contracts of each coin, `chain:address`. */
function tokensIn(json: unknown): Map<string, string[]> {
  const tokens = new Map<string, string[]>();
  for (const [platform, answer] of Object.entries(object(json, 'the file'))) {
    const chain = chainOfCoin.get(platform);
    if (!chain) continue;
    for (const { coinId, address, isActive } of coinProvider.contracts(platform).read(answer)) {
      const written = isActive ? addressOn(chain, address) : undefined;
      if (written === undefined) continue;
      const known = tokens.get(coinId) ?? [];
      tokens.set(coinId, [...known, `${chain.name}:${written}`]);
    }
  }
  return tokens;
}
