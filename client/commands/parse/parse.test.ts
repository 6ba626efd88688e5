import { describe, expect, test } from 'vitest';
import { frontEnd } from '../../cli/own-commands.ts';
import { usageFailure } from '../failure.ts';
import { plainText } from '../format/text.ts';
import { parseCommand, parseLine } from './parse.ts';
import { wordsOf } from './words.ts';

const parsed = (line: string) => {
  const { name, positional, values, isHelp } = parseLine(wordsOf(line), frontEnd);
  return { name, positional, values: Object.fromEntries(values), ...(isHelp && { isHelp }) };
};

const problemOf = (line: string) => {
  try {
    parseCommand(wordsOf(line), frontEnd);
  } catch (error) {
    return plainText(usageFailure(error).lines);
  }
  return undefined;
};

describe('one table for commands and the front end', () => {
  test.each([
    ['--json cprice BTC', { name: 'price', positional: ['BTC'], values: { json: '' } }],
    [
      'price BTC --url http://x --json',
      { name: 'price', positional: ['BTC'], values: { url: 'http://x', json: '' } },
    ],
    [
      'CPRICE --protocol=coinpaprika BTC',
      { name: 'price', positional: ['BTC'], values: { protocol: 'coinpaprika' } },
    ],
    ['cprice BTC --watch', { name: 'price', positional: ['BTC'], values: { watch: '' } }],
    ['cprice BTC --watch 30', { name: 'price', positional: ['BTC'], values: { watch: '30' } }],
    ['cprice --watch BTC', { name: 'price', positional: ['BTC'], values: { watch: '' } }],
    ['hold BTC -0.5', { name: 'hold', positional: ['BTC', '-0.5'], values: {} }],
    ["cprice alert BTC '>1' --once", { name: 'alert', positional: ['BTC', '>1'], values: { once: '' } }],
    ['serve --simulated --json', { name: 'serve', positional: ['--simulated', '--json'], values: {} }],
    ['cprice -- --json', { name: 'price', positional: ['--json'], values: {} }],
    ['config --help', { name: 'config', positional: [], values: {}, isHelp: true }],
    ['cprice alert --help', { name: 'alert', positional: [], values: {}, isHelp: true }],
    ['', { name: undefined, positional: [], values: {} }],
  ])('%s', (line, expected) => expect(parsed(line)).toEqual(expected));
});

describe('an invalid line', () => {
  test.each([
    ['cprice BTC --json --json', 'Option --json is given twice'],
    ['cprice BTC --url --json', 'Option --url needs a value'],
    [
      'cprice BTC --line',
      'Unknown option --line; known: --currency, --protocol, --format, --json, --url, --version, --watch, --open',
    ],
    ['cprice BTC --watch abc', 'Unknown value "abc" of --watch; allowed: a whole number from 1 to 86400'],
    ['cprice BTC --format xml', 'Unknown value "xml" of --format; allowed: table, csv, json, ndjson'],
    ['watch --curency eur', 'Unknown option --curency; did you mean --currency?'],
    ['cprice BTC/EUR', 'BTC/EUR is a pair: name the coin alone'],
    ['cprice BTC/uah', 'BTC/UAH is a pair: name the coin alone'],
  ])('%s', (line, problem) => expect(problemOf(line)?.split('\n')[0]).toBe(problem));

  test("the hint is the command's usage, or the likely command line", () => {
    expect(problemOf('watch --curency eur')).toMatch(/\nUsage: marketdata watch \[add\|remove <symbol…>\]$/);
    expect(problemOf('serv')).toMatch(/\nDid you mean: serve$/);
    expect(problemOf('cprice BTC/EUR')).toMatch(/\nDid you mean: cprice BTC --currency eur$/);
    expect(problemOf('cchart ETH,BTC')).toMatch(/\nDid you mean: cchart ETH --compare BTC\n/);
  });
});

test('coins may be separated by commas', () => {
  expect(parseCommand(['cprice', 'BTC,ETH', 'SOL,'])).toMatchObject({ symbols: ['BTC', 'ETH', 'SOL'] });
  expect(parseCommand(['cprice', 'Foo, the coin'])).toMatchObject({ symbols: ['Foo, the coin'] });
});
