import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { configOf, configPath, readConfig, updateConfig } from './config.ts';

function newHome() {
  const HOME = mkdtempSync(join(inject('runFolder'), 'config-'));
  onTestFinished(() => rmSync(HOME, { recursive: true, force: true }));
  const path = configPath({ HOME });
  const write = (text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  return { env: { HOME }, path, write };
}

test("the file's place follows the XDG Base Directory Specification", () => {
  expect(configPath({ HOME: '/home/ada' })).toBe('/home/ada/.config/marketdata/config.json');
  expect(configPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' })).toBe(
    '/etc/ada/marketdata/config.json',
  );
});

test('without a file there are no settings, and the first change creates one for this user only', () => {
  const { env, path } = newHome();
  expect(readConfig(env)).toEqual({});
  updateConfig(env, (config) => ({ ...config, currency: 'eur' }));
  expect(readFileSync(path, 'utf8')).toBe('{\n  "currency": "eur"\n}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(path))).toEqual(['config.json']);
});

test('what a killed program has not finished is removed, but no other file', () => {
  const { env, path, write } = newHome();
  write('{}');
  const running = `${path}.${randomUUID()}`;
  const dead = `${path}.${randomUUID()}`;
  for (const file of [running, dead, `${path}.bak`]) writeFileSync(file, '{');
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const file of [dead, `${path}.bak`]) utimesSync(file, anHourAgo, anHourAgo);
  updateConfig(env, () => ({ currency: 'eur' }));
  const expected = [path, running, `${path}.bak`].map((file) => basename(file));
  expect(readdirSync(dirname(path)).sort()).toEqual(expected.sort());
});

test('unknown fields are kept', () => {
  const { env, path, write } = newHome();
  const config = {
    theme: { dark: true },
    holdings: [{ id: 'btc-bitcoin', amount: '0.5', cost: '30000', currency: 'EUR', note: 'cold' }],
    url: 'https://prices.example/market',
  };
  write(JSON.stringify(config));
  updateConfig(env, (former) => ({ ...former, watchlist: ['a'] }));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...config, watchlist: ['a'] });
});

test.each(['{ "watchlist": [', '', '{ "currency": 5 }', '[1]'])(
  'an invalid file (%j) is left unchanged, and the error names it',
  (text) => {
    const { env, path, write } = newHome();
    write(text);
    expect(() => readConfig(env)).toThrow(`${path} is not understood: `);
    expect(() => updateConfig(env, (config) => ({ ...config, currency: 'eur' }))).toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(path))).toEqual(['config.json']);
  },
);

test('a symbolic link to the file is kept', () => {
  const { env, path, write } = newHome();
  write('');
  rmSync(path);
  const real = join(env.HOME, 'dotfiles.json');
  writeFileSync(real, '{}');
  symlinkSync(real, path);
  updateConfig(env, () => ({ currency: 'eur' }));
  expect(readlinkSync(path)).toBe(real);
  expect(readConfig(env)).toEqual({ currency: 'eur' });
});

test.each([
  [[], '"the file" must be an object, not []'],
  [
    { watchlist: ['btc-bitcoin', 7] },
    '"watchlist[1]" must be the id of a coin, such as "btc-bitcoin", not 7',
  ],
  [{ watchlist: ['a,b'] }, '"watchlist[0]" must be the id of a coin, such as "btc-bitcoin", not "a,b"'],
  [{ watchlist: ['a', 'b', 'a'] }, '"watchlist" has "a" twice'],
  [
    { watchlist: Array.from({ length: 501 }, (_, at) => `c-${at}`) },
    '"watchlist" has 501 items; at most 500',
  ],
  [
    { holdings: [{ id: 'a', amount: 0.5 }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not 0.5',
  ],
  [
    {
      holdings: [
        { id: 'a', amount: '1' },
        { id: 'a', amount: '2' },
      ],
    },
    '"holdings" has "a" twice',
  ],
  [{ currency: 'euro' }, '"currency" must be the three letters of a currency, such as "eur", not "euro"'],
  [{ url: 'javascript:1' }, '"url" must be an http:// or https:// address, not "javascript:1"'],
  [
    { apiKey: 'k' },
    '"apiKey": an API key is not kept in this file, which is exported and copied: set it in MARKETDATA_API_KEY',
  ],
])('%j is refused: %s', (value, message) => {
  expect(() => configOf(value)).toThrow(message);
});
