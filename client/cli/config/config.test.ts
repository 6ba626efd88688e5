import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

test('the file lies where the desktop standard says', () => {
  expect(configPath({ HOME: '/home/ada' })).toBe('/home/ada/.config/marketdata/config.json');
  expect(configPath({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' })).toBe(
    '/etc/ada/marketdata/config.json',
  );
});

test('without a file there are no settings, and the first one makes it, for its user alone', () => {
  const { env, path } = newHome();
  expect(readConfig(env)).toEqual({});
  updateConfig(env, (config) => ({ ...config, currency: 'eur' }));
  expect(readFileSync(path, 'utf8')).toBe('{\n  "currency": "eur"\n}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(path))).toEqual(['config.json']);
});

test('fields that are not known are written again', () => {
  const { env, path, write } = newHome();
  write('{ "theme": "dark", "holdings": [{ "id": "a", "amount": "1", "note": "x" }] }');
  updateConfig(env, (config) => ({ ...config, watchlist: ['a'] }));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    theme: 'dark',
    holdings: [{ id: 'a', amount: '1', note: 'x' }],
    watchlist: ['a'],
  });
});

test.each(['{ "watchlist": [', '', '{ "currency": 5 }', '[1]'])(
  'a file that is not understood (%j) is left as it is, and named with what is wrong',
  (text) => {
    const { env, path, write } = newHome();
    write(text);
    expect(() => readConfig(env)).toThrow(`${path} is not understood: `);
    expect(() => updateConfig(env, (config) => ({ ...config, currency: 'eur' }))).toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(path))).toEqual(['config.json']);
  },
);

test('what would not be understood later is not written', () => {
  const { env, path, write } = newHome();
  write('{"currency":"eur"}');
  expect(() => updateConfig(env, () => ({ currency: 'euro' }))).toThrow('three letters');
  expect(readFileSync(path, 'utf8')).toBe('{"currency":"eur"}');
});

test('a link to the file stays one', () => {
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

test('settings are taken as they are, with fields of another version', () => {
  const config = {
    watchlist: ['btc-bitcoin', 'mobilecoin'],
    holdings: [{ id: 'btc-bitcoin', amount: '0.5', cost: '30000', currency: 'EUR', note: 'cold' }],
    currency: 'eur',
    url: 'https://prices.example/market',
    theme: { dark: true },
  };
  expect(configOf(config)).toEqual(config);
  expect(configOf({})).toEqual({});
});

test.each([
  [[], '"the file" must be an object, not []'],
  [null, '"the file" must be an object, not null'],
  [{ watchlist: 'btc' }, '"watchlist" must be a list, not "btc"'],
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
    { holdings: [{ id: 'a' }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not nothing',
  ],
  [
    { holdings: [{ id: 'a', amount: 0.5 }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not 0.5',
  ],
  [
    { holdings: [{ id: 'a', amount: '0' }] },
    '"holdings[0].amount" must be a decimal above 0 in quotes, such as "0.5", not "0"',
  ],
  [
    { holdings: [{ id: 'a', amount: '1', cost: '-1' }] },
    '"holdings[0].cost" must be a decimal in quotes, such as "30000", not "-1"',
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
