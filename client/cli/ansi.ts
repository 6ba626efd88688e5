import type { Line, Tone } from '../commands/format/text.ts';
import { wrapLines } from '../commands/format/wrap.ts';

/** SGR parameters (ECMA-48): the terminal's own sixteen colours, so that light and dark schemes stay readable. */
const codes: Readonly<Record<Tone, readonly [number, number]>> = {
  strong: [1, 22],
  muted: [2, 22],
  up: [32, 39],
  down: [31, 39],
  error: [31, 39],
  line1: [36, 39],
  line2: [33, 39],
  line3: [35, 39],
  line4: [32, 39],
  line5: [34, 39],
};

/** The lines as a stream takes them, wrapped to `width` cells. */
export function terminalText(lines: readonly Line[], hasColour: boolean, width: number): string {
  return wrapLines(lines, width)
    .map((line) => `${lineText(line, hasColour).trimEnd()}\n`)
    .join('');
}

function lineText(line: Line, hasColour: boolean): string {
  return line
    .map(({ text, tone, command }) => {
      if (!hasColour) return text;
      if (tone) return sgr(text, codes[tone]);
      return command ? sgr(text, [36, 39]) : text;
    })
    .join('');
}

function sgr(text: string, [on, off]: readonly [number, number]): string {
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
