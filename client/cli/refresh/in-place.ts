import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../../commands/format/text.ts';
import type { Output } from '../terminal.ts';

const ERASE_BELOW = '\u001b[J';
const CLEAR_WINDOW = '\u001b[2J\u001b[H';

/** Output that is drawn again and again at the same place of a terminal. */
export interface InPlace {
  /** Draws these lines over the last ones. */
  draw(text: string): void;
  /** As `draw` in a window that has been emptied: its lines may have moved when its size changed. */
  drawAnew(text: string): void;
}

export function inPlace(stdout: Output): InPlace {
  let height = 0;
  function write(text: string, before: string): void {
    const shown = fittedTo(text, stdout);
    height = heightOf(shown, stdout);
    stdout.write(`${before}${shown}`);
  }
  return {
    draw: (text) => write(text, height > 0 ? `\r\u001b[${height}A${ERASE_BELOW}` : ''),
    drawAnew: (text) => write(text, CLEAR_WINDOW),
  };
}

/** What has left a window at its top cannot be drawn over, so the end of a longer text is left out. */
function fittedTo(text: string, stdout: Output): string {
  const lines = text.split('\n').slice(0, -1);
  const most = (stdout.rows || Number.POSITIVE_INFINITY) - 1;
  if (heightOf(text, stdout) <= most) return text;
  let kept = lines.length - 1;
  while (kept > 0 && heightOf(`${lines.slice(0, kept).join('\n')}\n`, stdout) > most - 1) kept -= 1;
  return `${lines.slice(0, kept).join('\n')}\n… a higher window shows the rest\n`;
}

/** The rows that lines take in a terminal, which breaks those that are wider than itself. */
function heightOf(text: string, { columns }: Output): number {
  const lines = text.split('\n').slice(0, -1);
  const width = columns || Number.POSITIVE_INFINITY;
  return lines.reduce(
    (rows, line) => rows + Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / width)),
    0,
  );
}
