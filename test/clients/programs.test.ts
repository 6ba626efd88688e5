/** The exported files as read by the programs they are made for, and the recipes of docs/formats.md. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { beancount, ledger } from '../../functions/export/formats/ledgers.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/formats.md'), 'utf8');
const succeeds = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
/** Debian's own has Debian's pandas. */
const python = ['python3', '/usr/bin/python3'].find((one) => succeeds(one, '-c', 'import pandas'));
const missing = [
  ...['ledger', 'hledger', 'bean-check', 'promtool'].filter((program) => !succeeds(program, '--version')),
  ...(python ? [] : ['pandas']),
];

let service: LocalService;
let folder: string;
beforeAll(async () => {
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} not found. On Debian: apt-get install ledger hledger beancount prometheus python3-pandas`,
    );
  service = await startLocalService({
    quiet: true,
    provider: { mode: 'simulated' },
    store: { history: true },
  });
  folder = mkdtempSync(join(tmpdir(), 'formats-'));
  symlinkSync(join(root, 'docs'), join(folder, 'docs'));
  // The history of several coins comes from the store, which a new service fills in its first seconds.
  const history = `${service.url}/export/history.csv?ids=btc-bitcoin,eth-ethereum`;
  const isStored = async () => expect(await (await fetch(history)).text()).toMatch(/^eth-ethereum,/m);
  await vi.waitFor(isStored, { timeout: 60_000, interval: 1_000 });
}, 120_000);
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command prints, in the folder, with the service of this test. Throws if it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, timeout: 15_000 });
  return stdout;
}

const local = (text: string) => text.replaceAll('http://localhost:3000', service.url);

async function save(name: string, query: string): Promise<void> {
  const response = await fetch(`${service.url}/export/${name}?${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  writeFileSync(join(folder, name), text);
}

/** The prices that ledger reads for the commodities of a journal. */
async function pricesOfLedger(file: string, commodities: readonly string[]): Promise<string> {
  const postings = commodities.map((commodity) => `  Assets  1 ${commodity}\n`).join('');
  writeFileSync(join(folder, 'held.ledger'), `2020-01-01 Bought\n${postings}  Equity\n`);
  return run('ledger', '-f', 'held.ledger', '--price-db', file, 'pricedb');
}

const pricesIn = (text: string) => text.split('\n').filter((line) => /^(P |\d)/.test(line));

describe('the recipes of docs/formats.md', () => {
  const recipes = [...page.matchAll(/```(?:sh|python)\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const recipeOf = (start: string) => {
    const found = recipes.filter((text) => new RegExp(`(^|\\| )${start} `, 'm').test(text));
    expect(found).toHaveLength(1);
    return local(found[0] ?? '');
  };
  const shell = (text: string) => run('bash', '-euo', 'pipefail', '-c', text);

  it('read history into pandas', async () => {
    expect(await run(python ?? '', '-c', recipeOf('import pandas'))).toMatch(/eth-ethereum +-?[\d.]+ +1\.0/);
  });

  it('read history into DuckDB', async () => {
    const [, sql = '', url = ''] = /^duckdb -c "(.*?'(.*?)'.*)"$/m.exec(recipeOf('duckdb')) ?? [];
    const file = join(folder, 'history.csv');
    writeFileSync(file, await (await fetch(url)).text()); // by itself DuckDB downloads an extension for HTTP first
    const duckDb = await (await DuckDBInstance.create()).connect();
    const rows = (await duckDb.runAndReadAll(sql.replace(url, file))).getRowsJS();
    expect(rows).toEqual([['btc-bitcoin', expect.any(Number)]]);
  });

  it.each([
    ['hledger', /[\d,]+\.\d\d USD {2}Assets:Coins/],
    ['ledger', /EUR\d+ {2}Assets:Coins/],
    ['bean-check', /^$/],
    ['promtool', /SUCCESS/],
  ])('are read by %s', async (program, printed) => {
    expect(await shell(recipeOf(program))).toMatch(printed);
  });
});

test('promtool has nothing to say about the gauges of many coins', async () => {
  const ids = 'btc-bitcoin,eth-ethereum,usdt-tether,-doggotothemoon,xch-chia-';
  await save('prices.prom', `ids=${ids}&quote=eur`);
  expect(await run('bash', '-c', 'promtool check metrics < prices.prom')).toBe('');
});

describe('any name', () => {
  const names = [
    'BTC',
    'usd',
    'USD+',
    '1INCH',
    '战旗',
    'a b',
    '$',
    'and',
    'true',
    "O'X",
    '"; P',
    'x',
    '😀',
    'A'.repeat(40),
  ];
  const prices = (spell: (name: string) => string) =>
    names.map((name) => ({
      commodity: spell(name),
      at: Date.UTC(2026, 10, 25),
      price: '0.00000000125',
      quality: 'exact' as const,
      source: 'simulated',
    }));

  it('is one that ledger and hledger read', async () => {
    const text = ledger.text({ quote: ledger.spell('€'), prices: prices(ledger.spell), missing: ['a\nb'] });
    writeFileSync(join(folder, 'names.ledger'), text);
    for (const printed of [
      await pricesOfLedger('names.ledger', names.map(ledger.spell)),
      await run('hledger', '-f', 'names.ledger', 'prices'),
    ])
      expect(pricesIn(printed)).toHaveLength(names.length);
  });

  it('is spelled in a way that Beancount reads, each differently', async () => {
    const spelled = prices(beancount.spell);
    expect(new Set(spelled.map(({ commodity }) => commodity)).size).toBe(names.length);
    writeFileSync(
      join(folder, 'names.beancount'),
      beancount.text({ quote: 'USD', prices: spelled, missing: [] }),
    );
    expect(await run('bean-check', 'names.beancount')).toBe('');
  });
});
