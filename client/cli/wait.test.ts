import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { spinning } from './wait.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  const output = Object.assign(new PassThrough(), { isTTY });
  output.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  return { output, written };
}

test('on an interactive stderr a slow answer has a spinner, which is erased', async () => {
  const { output, written } = stream(true);
  expect(await spinning(sleep(300, 'done'), output, {})).toBe('done');
  expect(written[0]).toBe('\r\u001b[K⠋ Loading …');
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('a failure erases it too', async () => {
  const { output, written } = stream(true);
  const failing = sleep(300).then(() => Promise.reject(new Error('no')));
  await expect(spinning(failing, output, {})).rejects.toThrow('no');
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test.each([
  ['a quick answer', true, {}, 10],
  ['a pipe', false, {}, 300],
  ['a dumb terminal', true, { TERM: 'dumb' }, 300],
])('%s has none', async (_name, isTTY, env, ms) => {
  const { output, written } = stream(isTTY);
  await spinning(sleep(ms), output, env);
  expect(written).toEqual([]);
});
