import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { desktopCommand, notify, terminalNotice } from './notify.ts';

test('the desktop of Linux is told where there is one, with no markup and no options', () => {
  expect(desktopCommand('-x <b>&', { DISPLAY: ':0' }, 'linux')).toEqual([
    'notify-send',
    '--app-name=marketdata',
    '--',
    'Price alert',
    '-x &lt;b&gt;&amp;',
  ]);
  expect(desktopCommand('x', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toHaveLength(5);
  expect(desktopCommand('x', {}, 'linux')).toEqual([]);
  expect(desktopCommand('x', { DISPLAY: ':0' }, 'win32')).toEqual([]);
});

test('on macOS the text is an argument of the script, not a part of it', () => {
  const [command, , script, title, text] = desktopCommand('" & (do shell script "id")', {}, 'darwin');
  expect([command, title, text]).toEqual(['osascript', 'Price alert', '" & (do shell script "id")']);
  expect(script).not.toContain('do shell');
});

test.each([
  [{ TERM_PROGRAM: 'iTerm.app' }, '\u001b]9;Price alert: up\u0007'],
  [{}, '\u001b]777;notify;Price alert;up\u0007'],
  [{ TERM: 'dumb' }, ''],
])('a terminal with %j is told in its own way', (env, notice) => {
  expect(terminalNotice('up', env)).toBe(notice);
});

test('without a terminal and a desktop nothing is written and nothing fails', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  await notify('up', { env: {}, stdin, stdout, stderr }, 'linux');
  await notify('up', { env: { DISPLAY: ':0', PATH: '/nowhere' }, stdin, stdout, stderr }, 'linux');
  expect([stdout.read(), stderr.read()]).toEqual([null, null]);
});
