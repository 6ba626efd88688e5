/** Widths of texts in terminal cells, in a module of their own: the page loads it only when a command prints. */
import stringWidth from 'string-width';
import { type Line, span, wrapWords } from './text.ts';

const graphemes = new Intl.Segmenter();

/** The width of a text in a terminal's cells: two for a CJK character or an emoji, none for a combining mark. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + displayWidth(text), 0);
}

/** The text in exactly `width` cells: padded with spaces, or cut with an ellipsis. */
export function fitted(text: string, width: number): string {
  const short = shortened(text, width);
  return short + ' '.repeat(Math.max(0, width - displayWidth(short)));
}

/** A text in at most `width` cells, with an ellipsis if it was longer; a character of several code points stays whole. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Wraps words to lines of at most `width` cells; a longer word has its own line. */
export function wrapped(text: string, width: number): string[] {
  return wrapWords(text, (line) => displayWidth(line) <= width).map((line) => line.trim());
}

/** A label at the start of a line, such as `Source:      `; the text after it is wrapped in its own column. */
const LABEL = /^\s*[^:]{1,14}:\s+$/;
const NO_BREAK = '\u00a0';

/**
 * The lines in at most `width` cells each: wider ones are wrapped between words, and continuation lines keep the indent
 * or the label's width. Commands and words are never broken, so a wider one has its own line.
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
  // The space beside a label is too narrow for a long word.
  if (margin > 0 && rows.some((row) => displayWidth(row) > room)) return wrapLine(line, width, 0);
  const indent = margin > 0 ? [span(' '.repeat(margin))] : [];
  let end = margin;
  return rows.map((row, index) => {
    const start = Math.max(end, text.indexOf(row, end));
    end = start + row.length;
    return index === 0 ? partOf(line, 0, end) : [...indent, ...partOf(line, start, end)];
  });
}

/** The indent of continuation lines in characters, which equals cells, since our labels are ASCII. */
function marginOf([first]: Line): number {
  const text = first?.text ?? '';
  return (LABEL.test(text) ? text : (/^ */.exec(text)?.[0] ?? '')).length;
}

/** A slice of a line. */
function partOf(line: Line, start: number, end: number): Line {
  let at = 0;
  return line.flatMap((part) => {
    const text = part.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += part.text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}
