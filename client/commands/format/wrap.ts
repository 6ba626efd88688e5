import { displayWidth, type Line, type Span, span } from './text.ts';

/** A label at the beginning of a line, such as `Source:      `; what follows it is wrapped below itself. */
const LABEL = /^\s*[^:]{1,14}:\s+$/;

/**
 * The lines in at most `width` cells each: wider ones are broken between words, their indent or label kept free in the
 * lines that follow. Neither a command nor a word is ever broken, so one that is wider still has a line of its own.
 */
export function wrapLines(lines: readonly Line[], width: number): Line[] {
  return lines.flatMap((line) => (lineWidth(line) <= width ? [line] : wrapLine(line, width)));
}

function wrapLine(line: Line, width: number): Line[] {
  const margin = marginOf(line);
  const lines: Span[][] = [[]];
  let used = 0;
  for (const { space, word } of wordsOf(line)) {
    const size = lineWidth(word);
    const indent = margin + size <= width ? margin : 0;
    // In a line that holds nothing but its label, breaking would gain nothing.
    const isAtMargin = used + lineWidth(space) <= indent;
    if (used === 0 || isAtMargin || used + lineWidth(space) + size <= width) {
      lines.at(-1)?.push(...space, ...word);
      used += lineWidth(space) + size;
    } else {
      lines.push([span(' '.repeat(indent)), ...word]);
      used = indent + size;
    }
  }
  return lines.map(joined);
}

/** The cells that lines after the first leave free. */
function marginOf([first]: Line): number {
  if (!first) return 0;
  return displayWidth(LABEL.test(first.text) ? first.text : (/^ */.exec(first.text)?.[0] ?? ''));
}

interface Word {
  /** In front of it. */
  readonly space: Span[];
  readonly word: Span[];
}

/** What no space separates is one word, whatever spans it is of. */
function wordsOf(line: Line): Word[] {
  const words: Word[] = [];
  for (const part of line) {
    for (const text of part.command === undefined ? part.text.split(/( +)/) : [part.text]) {
      const last = words.at(-1);
      const isSpace = /^ +$/.test(text);
      if (isSpace && last?.word.length === 0) last.space.push({ ...part, text });
      else if (isSpace) words.push({ space: [{ ...part, text }], word: [] });
      else if (last) last.word.push({ ...part, text });
      else words.push({ space: [], word: [{ ...part, text }] });
    }
  }
  return words;
}

/** Neighbours of one tone become one span again. */
function joined(line: readonly Span[]): Line {
  const spans: Span[] = [];
  for (const part of line.filter(({ text }) => text !== '')) {
    const last = spans.at(-1);
    if (last && last.tone === part.tone && last.command === undefined && part.command === undefined)
      spans[spans.length - 1] = { ...last, text: last.text + part.text };
    else spans.push(part);
  }
  return spans;
}

function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + displayWidth(text), 0);
}
