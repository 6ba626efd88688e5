import { emitKeypressEvents, type Interface, type Key } from 'node:readline';
import type { Line } from '../../commands/format/text.ts';
import { terminalText } from '../ansi.ts';
import { hasColour, type Terminal } from '../terminal.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The contents of the screen. */
export interface View {
  /** The lines to draw, at most as many as the screen has rows. */
  lines(size: Size): readonly Line[];
  /** A typed character, or the name of a key: `up`, `return`, `escape`. */
  press(key: string): void;
  /** Cancels its pending work. */
  close(): void;
}

export type Screen = ReturnType<typeof openScreen>;

/** Switches to the alternate screen without cursor and line wrapping. */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
/** Terminals that support these marks show a frame at once. */
const BEGIN_FRAME = '\u001b[?2026h\u001b[H';
const END_FRAME = '\u001b[J\u001b[?2026l';
/** A window that became smaller keeps remains at its side. */
const CLEAR = '\u001b[2J';
const ERASE_REST = '\u001b[K';
/** Countdowns advance every second. */
const TICK_MS = 1000;
/** An Escape followed by no character within this time is the key itself, not the start of an arrow key. */
const ESCAPE_MS = 50;

/** The window as a full screen until it is closed, Ctrl-C is pressed, or the program ends for any reason. */
export function openScreen({ stdin, stdout, env, interrupt, isPrompt }: Terminal) {
  const colour = hasColour(stdout, env);
  // The prompt reads the keys itself.
  const readsKeys = stdin.isTTY === true && stdin.setRawMode !== undefined && !isPrompt;
  let view: View | undefined;
  let shown = '';
  let resolve = () => {};
  const closed = new Promise<void>((done) => {
    resolve = done;
  });

  function draw(): void {
    const { columns = 80, rows = 24 } = stdout;
    if (!view) return;
    const lines = terminalText(view.lines({ columns, rows }), colour, columns).split('\n').slice(0, -1);
    const frame = lines.slice(0, rows).join(`${ERASE_REST}\r\n`);
    if (frame === shown) return;
    shown = frame;
    stdout.write(`${BEGIN_FRAME}${frame}${ERASE_REST}${END_FRAME}`);
  }
  function resized(): void {
    shown = '';
    stdout.write(CLEAR);
    draw();
  }
  function pressed(text: string | undefined, { name = '', ctrl, meta }: Key): void {
    if (ctrl && name === 'c') close();
    // Node reports a lone Escape as one together with nothing.
    else if (!ctrl && (!meta || name === 'escape'))
      view?.press(text === undefined || /\p{Cc}/u.test(text) ? name : text);
  }
  function leave(): void {
    if (readsKeys) stdin.setRawMode?.(false);
    stdout.write(CLOSE);
  }
  function ended(signal: NodeJS.Signals): void {
    leave();
    process.off('exit', leave);
    process.kill(process.pid, signal);
  }
  function close(): void {
    if (!view) return;
    view.close();
    view = undefined;
    clearInterval(timer);
    stdout.off('resize', resized);
    interrupt?.removeEventListener('abort', close);
    process.off('exit', leave).off('SIGTERM', ended).off('SIGHUP', ended);
    if (readsKeys) stdin.off('keypress', pressed).pause();
    leave();
    resolve();
  }

  stdout.write(OPEN);
  process.once('exit', leave).once('SIGTERM', ended).once('SIGHUP', ended);
  interrupt?.addEventListener('abort', close);
  stdout.on('resize', resized);
  const timer = setInterval(draw, TICK_MS);
  if (readsKeys) {
    emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface); // the only field that is read
    stdin.setRawMode?.(true);
    stdin.on('keypress', pressed).resume();
  }
  return {
    /** Switches to this view. */
    show(next: View) {
      view = next;
      draw();
    },
    /** Redraws after a change. */
    draw,
    close,
    /** Resolves when the screen is closed and the terminal restored. */
    closed,
  };
}
