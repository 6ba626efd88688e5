import { displayWidth, type Line, plainText, span, wrapped } from '../../commands/format/text.ts';

/** A line that is wider than `width` cells goes on in the next one, between its spans. */
export function brokenLine(line: Line, width: number): Line[] {
  const lines: Line[] = [];
  let last: Line = [];
  for (const part of line) {
    const isFull = last.length > 0 && displayWidth(plainText([[...last, part]])) > width;
    if (isFull) {
      lines.push(last);
      last = [{ ...part, text: part.text.trimStart() }];
    } else last = [...last, part];
  }
  return [...lines, last];
}

/** A line that is too wide breaks at its words, and loses its tones then. */
export function wordBroken(line: Line, width: number): Line[] {
  const lines = wrapped(plainText([line]), width);
  return lines.length === 1 ? [line] : lines.map((text) => [span(text)]);
}
