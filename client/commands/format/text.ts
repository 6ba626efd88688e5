import stringWidth from 'string-width';

/** The meaning of a part of a line; each front end gives it a colour. */
export type Tone =
  | 'strong'
  | 'muted'
  | 'up'
  | 'down'
  | 'faint-up'
  | 'faint-down'
  | 'flash-up'
  | 'flash-down'
  | 'error'
  | `line${1 | 2 | 3 | 4 | 5}`;

export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The command line that this text stands for; the page makes a button of it. */
  readonly command?: string | undefined;
}

/** One line of output, without its line break. */
export type Line = readonly Span[];

export function span(text: string, tone?: Tone): Span {
  return tone === undefined ? { text } : { text, tone };
}

/** A command that the reader can type as it stands. */
export function commandSpan(command: string): Span {
  return { text: command, command };
}

export function plainText(lines: readonly Line[]): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
}

// Controls could move a terminal's cursor, and directional marks could turn a line around.
const UNPRINTABLE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu;

/** Text from elsewhere (a coin's name, a service's message) as one printable line. */
export function clean(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter();

/** The width of a text in a terminal's cells: two for a CJK character or an emoji, none for a combining mark. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + displayWidth(text), 0);
}

/** The text in exactly `width` cells: filled up with spaces, or cut with an ellipsis. */
export function fitted(text: string, width: number): string {
  const short = shortened(text, width);
  return short + ' '.repeat(Math.max(0, width - displayWidth(short)));
}

/** A text in at most `width` cells, with an ellipsis if it was longer; what is read as one character stays whole. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text of words in lines of at most `width` cells; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= width)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines.map((line) => line.trim());
}

/** A label at the beginning of a line, such as `Source:      `; what follows it is wrapped below itself. */
const LABEL = /^\s*[^:]{1,14}:\s+$/;
const NO_BREAK = '\u00a0';

/**
 * The lines in at most `width` cells each: wider ones are broken between words, their indent or label kept free in the
 * lines that follow. Neither a command nor a word is ever broken, so one that is wider still has a line of its own.
 */
export function wrapLines(lines: readonly Line[], width: number): Line[] {
  return lines.flatMap((line) => (lineWidth(line) <= width ? [line] : wrapLine(line, width)));
}

function wrapLine(line: Line, width: number, margin = marginOf(line)): Line[] {
  const text = line
    .map((part) => (part.command === undefined ? part.text : part.text.replaceAll(' ', NO_BREAK)))
    .join('');
  const room = width - margin;
  const rows = wrapped(text.slice(margin), room);
  // Beside a label there is too little room for a long word.
  if (margin > 0 && rows.some((row) => displayWidth(row) > room)) return wrapLine(line, width, 0);
  const indent = margin > 0 ? [span(' '.repeat(margin))] : [];
  let end = margin;
  return rows.map((row, index) => {
    const start = Math.max(end, text.indexOf(row, end));
    end = start + row.length;
    return index === 0 ? partOf(line, 0, end) : [...indent, ...partOf(line, start, end)];
  });
}

/** The characters that lines after the first leave free: as many as cells, for labels are ours. */
function marginOf([first]: Line): number {
  const text = first?.text ?? '';
  return (LABEL.test(text) ? text : (/^ */.exec(text)?.[0] ?? '')).length;
}

/** Some characters of a line. */
function partOf(line: Line, start: number, end: number): Line {
  let at = 0;
  return line.flatMap((part) => {
    const text = part.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}
