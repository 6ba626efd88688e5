import { spawn } from 'node:child_process';
import type { Variables } from '../terminal.ts';

/** The program that shows an address, with its arguments; empty without a desktop, or with that of another machine. */
export function browserCommand(url: string, env: Variables, platform: NodeJS.Platform): string[] {
  if (env.SSH_CONNECTION || env.SSH_TTY) return [];
  if (platform === 'darwin') return ['open', url];
  // `start` is a part of cmd.exe, which would read the address as a command line.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', url] : [];
}

/** Shows an address in the browser, if there is one. Never fails, and waits for nobody. */
export function openInBrowser(url: string, env: Variables, platform = process.platform): void {
  const [command, ...args] = browserCommand(url, env, platform);
  if (command === undefined) return;
  const child = spawn(command, args, { env: { ...env }, stdio: 'ignore', detached: true });
  child.on('error', () => {}); // there is no such program; the address has been printed
  child.unref();
}
