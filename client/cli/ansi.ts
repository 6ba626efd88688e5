import type { Line, Tone } from '../commands/format/text.ts';
import { wrapLines } from '../commands/format/width.ts';
import { type ColourDepth, hasColour, type Variables, type Window, wrapWidthOf } from './terminal.ts';

/** The SGR parameters (ECMA-48) that start and end a tone. */
type Codes = readonly [on: string, off: string];

/** The terminal's own sixteen colours, so that light and dark schemes stay readable. */
const codes: Readonly<Record<Tone, Codes>> = {
  strong: ['1', '22'],
  muted: ['2', '22'],
  up: ['32', '39'],
  down: ['31', '39'],
  'faint-up': ['2;32', '22;39'],
  'faint-down': ['2;31', '22;39'],
  'flash-up': ['1;7;32', '22;27;39'],
  'flash-down': ['1;7;31', '22;27;39'],
  error: ['31', '39'],
  line1: ['36', '39'],
  line2: ['33', '39'],
  line3: ['35', '39'],
  line4: ['32', '39'],
  line5: ['34', '39'],
};

/** True colours with a contrast of at least 3:1 on both white and black, since the background is unknown. */
const trueCodes: Readonly<Partial<Record<Tone, Codes>>> = {
  up: ['38;2;24;161;103', '39'],
  down: ['38;2;229;72;77', '39'],
  'faint-up': ['38;2;67;122;101', '39'],
  'faint-down': ['38;2;158;88;90', '39'],
  line1: ['38;2;14;148;180', '39'],
  line2: ['38;2;205;120;20', '39'],
  line3: ['38;2;190;80;190', '39'],
  line4: ['38;2;24;161;103', '39'],
  line5: ['38;2;80;120;230', '39'],
};

/** The lines as text for a stream, wrapped to `width` cells. */
export function terminalText(lines: readonly Line[], colour: ColourDepth, width: number): string {
  return wrapLines(lines, width)
    .map((line) => `${lineText(line, colour).trimEnd()}\n`)
    .join('');
}

/** The lines as text for this output. */
export function textFor(output: Window, env: Variables, lines: readonly Line[]): string {
  return terminalText(lines, hasColour(output, env), wrapWidthOf(output));
}

function lineText(line: Line, colour: ColourDepth): string {
  return line
    .map(({ text, tone, command }) => {
      if (colour === 0) return text;
      if (tone) return sgr(text, (colour === 24 && trueCodes[tone]) || codes[tone]);
      return command ? sgr(text, ['36', '39']) : text;
    })
    .join('');
}

function sgr(text: string, [on, off]: Codes): string {
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
