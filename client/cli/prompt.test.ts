import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entry, stubApi } from '../../test/client/stub-api.ts';
import { runPrompt } from './prompt.ts';

const UP = '\u001b[A';
const CTRL_C = '\u0003';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'marketdata-prompt-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** A prompt on a terminal that is not there; `type` resolves when what was typed has had its effect. */
function session({ status = 0 } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const stderr = new PassThrough();
  let screen = '';
  for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => (screen += chunk.toString()));

  const results = [entry({ symbol: 'ETH', rank: 2 }), entry({ symbol: 'ETC', rank: 40 })];
  const { api } = stubApi({ search: ({ q }) => ({ query: q, count: 2, results }) });
  const ran: string[][] = [];
  const run = async (words: readonly string[]) => {
    ran.push([...words]);
    return status;
  };
  const terminal = { env: { HOME: state, XDG_STATE_HOME: state, NO_COLOR: '1' }, stdin, stdout, stderr };
  const ended = runPrompt({ baseUrl: 'http://service', api, run }, terminal);
  return {
    ran,
    ended,
    screen: () => stripVTControlCharacters(screen),
    async type(text: string) {
      stdin.write(text);
      await new Promise((resolve) => setTimeout(resolve, 30));
    },
  };
}

test('says where it is and how to leave, runs what is typed, and leaves with the last status', async () => {
  const { type, ran, ended, screen } = session({ status: 3 });
  await type('cprice "NO SUCH"\r');
  await type('exit\r');

  expect(screen()).toContain(
    'Market data from http://service. Tab completes, help lists the commands, exit\nleaves.\n',
  );
  expect(screen()).toContain('marketdata> ');
  expect(ran).toEqual([['cprice', 'NO SUCH']]);
  expect(await ended).toBe(3);
});

test('completes commands and symbols with Tab', async () => {
  const { type, ran, ended } = session();
  await type('cp\t');
  await type('e\t'); // ETH and ETC: as far as they agree
  await type('c\t');
  await type('\r');
  await type('exit\r');
  await ended;

  expect(ran).toEqual([['cprice', 'ETC']]);
});

test('keeps its history for the next session, only the user may read it', async () => {
  const first = session();
  await first.type('cprice BTC\r');
  await first.type('cchart ETH\r');
  await first.type('exit\r');
  await first.ended;
  expect(readFileSync(join(state, 'marketdata/history'), 'utf8')).toBe('exit\ncchart ETH\ncprice BTC\n');

  const second = session();
  await second.type(`${UP}${UP}${UP}\r`);
  await second.type('exit\r');
  await second.ended;
  expect(second.ran).toEqual([['cprice', 'BTC']]);
});

test('gives up a line at Ctrl-C, and leaves at Ctrl-C on an empty one', async () => {
  const { type, ran, ended } = session();
  await type('cprice BT');
  await type(CTRL_C);
  await type('cprice ETH\r');
  await type(CTRL_C);

  expect(await ended).toBe(0);
  expect(ran).toEqual([['cprice', 'ETH']]);
});

test('tells a quote that is not closed', async () => {
  const { type, ran, ended, screen } = session();
  await type('cprice "BTC\r');
  await type('exit\r');
  expect(await ended).toBe(2);
  expect(screen()).toContain('The quote " is not closed\nTry: help\n');
  expect(ran).toEqual([]);
});
