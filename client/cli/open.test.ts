import { expect, test } from 'vitest';
import { browserCommand } from './open.ts';

const url = 'http://localhost:3000/#BTC';

test.each([
  ['linux', { DISPLAY: ':0' }, ['xdg-open', url]],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open', url]],
  ['linux', {}, []],
  ['linux', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, []],
  ['darwin', {}, ['open', url]],
  ['darwin', { SSH_TTY: '/dev/pts/0' }, []],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', url]],
] as const)('on %s with %j the address is shown by %j', (platform, env, command) => {
  expect(browserCommand(url, env, platform)).toEqual(command);
});
