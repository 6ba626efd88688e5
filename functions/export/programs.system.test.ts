/** The files as the programs read them that they are made for, and the recipes of docs/formats.md. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import dashboard from '../../docs/grafana-dashboard.json' with { type: 'json' };
import { type Service, startService } from '../../test/contract/service.ts';
import { beancount, ledger } from './formats/ledgers.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/formats.md'), 'utf8');
const succeeds = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
/** Debian's own has Debian's pandas. */
const python = ['python3', '/usr/bin/python3'].find((one) => succeeds(one, '-c', 'import pandas'));
/** Those that this machine has not are skipped; CI installs all but duckdb, which is no package of its system. */
const isInstalled: Readonly<Record<string, boolean>> = {
  hledger: succeeds('hledger', '--version'),
  ledger: succeeds('ledger', '--version'),
  'bean-check': succeeds('bean-check', '--version'),
  promtool: succeeds('promtool', '--version'),
  duckdb: succeeds('duckdb', '-version'),
  python: python !== undefined,
};
const lacks = (...programs: string[]) => programs.some((program) => !isInstalled[program]);

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService({ store: { history: true } });
  folder = mkdtempSync(join(inject('runFolder'), 'formats-'));
  symlinkSync(join(root, 'docs'), join(folder, 'docs'));
});
afterAll(() => service.local.close());

/** What a command prints, in the folder, with the service of this test. Fails if it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, timeout: 15_000 });
  return stdout;
}

const local = (text: string) =>
  text
    .replaceAll('http://localhost:3000', service.local.url)
    .replaceAll('https://prices.example.com', service.local.url);

async function save(name: string, query: string): Promise<string> {
  const response = await fetch(`${service.local.url}/export/${name}?${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  writeFileSync(join(folder, name), text);
  return text;
}

/** ledger prints prices of what a journal holds. */
async function pricesOfLedger(file: string, commodities: readonly string[]): Promise<string> {
  const postings = commodities.map((commodity) => `  Assets  1 ${commodity}\n`).join('');
  writeFileSync(join(folder, 'held.ledger'), `2020-01-01 Bought\n${postings}  Equity\n`);
  return run('ledger', '-f', 'held.ledger', '--price-db', file, 'pricedb');
}

const pricesIn = (text: string) => text.split('\n').filter((line) => /^(P |\d)/.test(line));

describe('the recipes of docs/formats.md', () => {
  const recipes = [...page.matchAll(/```(sh|python)\n([\s\S]*?)```/g)].map(([, kind = '', text = '']) => {
    const named = Object.keys(isInstalled).filter((program) =>
      new RegExp(`(^|\\| )${program} `, 'm').test(text),
    );
    return { programs: kind === 'python' ? ['python'] : named, text };
  });

  it('are there for every program', () => {
    expect([...new Set(recipes.flatMap(({ programs }) => programs))].sort()).toEqual(
      Object.keys(isInstalled).sort(),
    );
  });

  for (const { programs, text } of recipes)
    it.skipIf(lacks(...programs))(`works: ${programs.join(' and ')}`, async () => {
      const isPython = programs.includes('python');
      const printed = isPython
        ? await run(python ?? '', '-c', local(text))
        : await run('bash', '-euo', 'pipefail', '-c', local(text));
      if (programs.includes('hledger')) expect(printed).toMatch(/[\d,]+\.\d\d USD {2}Assets:Coins/);
      if (programs.includes('ledger')) expect(printed).toMatch(/EUR\d+ {2}Assets:Coins/);
      if (isPython) expect(printed).toMatch(/eth-ethereum +-?[\d.]+ +1\.0/);
    });

  it('name addresses that answer', async () => {
    const addresses = [...page.matchAll(/https?:\/\/(?:localhost:3000|prices\.example\.com)(\/[^\s"'`|]*)/g)]
      .map(([, path = '']) => path.replace('&key=<key>', '')) // this service needs no key
      .filter((path) => path !== '/udf');
    expect(addresses.length).toBeGreaterThan(8);
    for (const path of addresses) {
      const response = await fetch(service.local.url + path);
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it('name the places in our JSON where trackers find what they look for', async () => {
    const read = async (path: string) => (await fetch(service.local.url + path)).json();
    const ticker = await read('/api/marketdata/ticker/btc-bitcoin');
    const candles = await read('/api/marketdata/ohlcv/btc-bitcoin?limit=366');
    const valuesAt = (json: unknown, path: string): unknown[] =>
      path
        .split('.')
        .slice(1)
        .flatMap((part) => (part.endsWith('[*]') ? [part.slice(0, -3), '*'] : [part]))
        .reduce<unknown[]>(
          (values, name) =>
            values.flatMap((value) =>
              name === '*' ? (value as unknown[]) : [(value as Record<string, unknown>)[name]],
            ),
          [json],
        );
    const [, selector = ''] = /"selector": "([^"]+)"/.exec(page) ?? [];
    const [, dates = ''] = /Path to Date \| `([^`]+)`/.exec(page) ?? [];
    const [, closes = ''] = /Path to Close \| `([^`]+)`/.exec(page) ?? [];
    expect(valuesAt(ticker, selector)).toEqual([expect.any(Number)]);
    expect(valuesAt(candles, dates)).toHaveLength(valuesAt(candles, closes).length);
    expect(valuesAt(candles, dates)[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(valuesAt(candles, closes)[0]).toEqual(expect.any(Number));
  });
});

describe('gauges', () => {
  it.skipIf(lacks('promtool'))('of many coins have nothing that promtool finds', async () => {
    const ids = 'btc-bitcoin,eth-ethereum,usdt-tether,-doggotothemoon,xch-chia-';
    await save('prices.prom', `ids=${ids}&quote=eur`);
    expect(await run('bash', '-c', 'promtool check metrics < prices.prom')).toBe('');
  });

  it('are those that the dashboard shows', async () => {
    const text = await save('prices.prom', 'ids=btc-bitcoin');
    const shown = dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/marketdata_\w+/g)),
    );
    expect([...new Set(shown)].sort()).toEqual(
      [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name).sort(),
    );
  });
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

  it.skipIf(lacks('ledger', 'hledger'))('is one that ledger and hledger read', async () => {
    const text = ledger.text({ quote: ledger.spell('€'), prices: prices(ledger.spell), missing: ['a\nb'] });
    writeFileSync(join(folder, 'names.ledger'), text);
    for (const printed of [
      await pricesOfLedger('names.ledger', names.map(ledger.spell)),
      await run('hledger', '-f', 'names.ledger', 'prices'),
    ])
      expect(pricesIn(printed)).toHaveLength(names.length);
  });

  it.skipIf(lacks('bean-check'))('is spelled in a way that Beancount reads, each differently', async () => {
    const spelled = prices(beancount.spell);
    expect(new Set(spelled.map(({ commodity }) => commodity)).size).toBe(names.length);
    writeFileSync(
      join(folder, 'names.beancount'),
      beancount.text({ quote: 'USD', prices: spelled, missing: [] }),
    );
    expect(await run('bean-check', 'names.beancount')).toBe('');
  });
});
