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
import { configPath, readConfig, updateConfig } from './config.ts';

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

test('without a file there are no settings, and the first one makes it, for its user alone', async () => {
  const { env, path } = newHome();
  expect(readConfig(env)).toEqual({});
  await updateConfig(env, (config) => ({ ...config, currency: 'eur' }));
  expect(readFileSync(path, 'utf8')).toBe('{\n  "currency": "eur"\n}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(path))).toEqual(['config.json']);
});

test('fields that are not known are written again', async () => {
  const { env, path, write } = newHome();
  write('{ "theme": "dark", "holdings": [{ "id": "a", "amount": "1", "note": "x" }] }');
  await updateConfig(env, (config) => ({ ...config, watchlist: ['a'] }));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    theme: 'dark',
    holdings: [{ id: 'a', amount: '1', note: 'x' }],
    watchlist: ['a'],
  });
});

test.each(['{ "watchlist": [', '', '{ "currency": 5 }', '[1]'])(
  'a file that is not understood (%j) is left as it is, and named with what is wrong',
  async (text) => {
    const { env, path, write } = newHome();
    write(text);
    expect(() => readConfig(env)).toThrow(`${path} is not understood: `);
    await expect(updateConfig(env, (config) => ({ ...config, currency: 'eur' }))).rejects.toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(path))).toEqual(['config.json']);
  },
);

test('what would not be understood later is not written', async () => {
  const { env, path, write } = newHome();
  write('{"currency":"eur"}');
  await expect(updateConfig(env, () => ({ currency: 'euro' }))).rejects.toThrow('three letters');
  expect(readFileSync(path, 'utf8')).toBe('{"currency":"eur"}');
});

test('a link to the file stays one', async () => {
  const { env, path, write } = newHome();
  write('');
  rmSync(path);
  const real = join(env.HOME, 'dotfiles.json');
  writeFileSync(real, '{}');
  symlinkSync(real, path);
  await updateConfig(env, () => ({ currency: 'eur' }));
  expect(readlinkSync(path)).toBe(real);
  expect(readConfig(env)).toEqual({ currency: 'eur' });
});
