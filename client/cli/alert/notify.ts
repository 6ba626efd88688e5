import { spawn } from 'node:child_process';
import { clean } from '../../commands/format/text.ts';
import type { Terminal, Variables } from '../terminal.ts';

const TITLE = 'Price alert';
const BELL = '\u0007';
/** A desktop that does not answer keeps nobody waiting. */
const PATIENCE_MS = 3000;
/** Terminals that read OSC 9 (iTerm2's); the others are told by OSC 777 (urxvt's), which those that know neither ignore. */
const TAKES_OSC_9 = /^(iTerm\.app|WezTerm|ghostty|vscode)$/;

/** Rings the bell of a terminal, and tells the desktop or else the terminal. Never fails: the text is printed anyway. */
export async function notify(text: string, { env, stdout, stderr }: Terminal, platform = process.platform) {
  const message = clean(text);
  const screen = [stdout, stderr].find(({ isTTY }) => isTTY === true);
  screen?.write(BELL);
  const [command, ...args] = desktopCommand(message, env, platform);
  const isTold = command !== undefined && (await succeeds(command, args, env));
  if (!isTold) screen?.write(terminalNotice(message, env));
}

/** The program of the desktop with its arguments; empty if there is no desktop. No shell reads them. */
export function desktopCommand(message: string, env: Variables, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    const script = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run';
    return ['osascript', '-e', script, TITLE, message];
  }
  if (platform === 'linux' && (env.DISPLAY || env.WAYLAND_DISPLAY)) {
    // The body may be read as markup (Desktop Notifications Specification).
    const body = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return ['notify-send', '--app-name=marketdata', '--', TITLE, body];
  }
  return [];
}

export function terminalNotice(message: string, { TERM, TERM_PROGRAM = '' }: Variables): string {
  if (TERM === 'dumb') return '';
  return TAKES_OSC_9.test(TERM_PROGRAM)
    ? `\u001b]9;${TITLE}: ${message}\u0007`
    : `\u001b]777;notify;${TITLE};${message}\u0007`;
}

async function succeeds(command: string, args: readonly string[], env: Variables): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...env }, stdio: 'ignore', timeout: PATIENCE_MS });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}
