import { UsageError } from '../../commands/parse/usage-error.ts';
import { type Config, configKeys, configOf, noKeyReason } from './config.ts';

/** The setting that a word names. Throws UsageError, for the API key with the reason why it is none. */
export function keyOf(word: string | undefined): keyof Config {
  const key = configKeys.find((name) => name === word?.toLowerCase());
  if (key) return key;
  if (word !== undefined && /key/i.test(word)) throw new UsageError(`${word} is no setting: ${noKeyReason}`);
  const asked = word === undefined ? 'Missing key' : `Unknown key ${word}`;
  throw new UsageError(`${asked}; known: ${configKeys.join(', ')}`);
}

/** The settings with one of them set to what was typed. Throws UsageError and ConfigError. */
export function withKey(config: Config, key: keyof Config, words: readonly string[]): Config {
  if (key === 'holdings')
    throw new UsageError('holdings are set one by one: marketdata hold BTC 0.5 @ 60000');
  if (words.length === 0) throw new UsageError(`Missing value of ${key}`);
  if (key === 'watchlist') return configOf({ ...config, watchlist: words.flatMap(listed) });
  if (words.length > 1) throw new UsageError(`${key} has one value, not ${words.length}`);
  return configOf({ ...config, [key]: key === 'currency' ? words[0]?.toLowerCase() : words[0] });
}

export function withoutKey(config: Config, key: keyof Config): Config {
  const { [key]: _removed, ...rest } = config;
  return rest;
}

function listed(word: string): string[] {
  return word
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
