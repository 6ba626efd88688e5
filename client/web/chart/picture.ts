import type { Theme } from './theme.ts';

export interface PictureTexts {
  readonly title: string;
  readonly price: string;
  readonly change: string;
  readonly tone: 'up' | 'down' | undefined;
  /** Source, time and quality, and the rate of a currency. */
  readonly source: string;
  readonly isSimulated: boolean;
  /** Of compared coins, with the colours of their lines. */
  readonly compared: readonly { readonly text: string; readonly colour: string }[];
}

const PADDING = 16;
const FONT = 'system-ui, sans-serif';
export const SIMULATED = 'Simulated data, not real prices';

/** A chart as a picture that speaks for itself, `scale` pixels of the canvas to one of the page. */
export function pictureOf(
  chart: HTMLCanvasElement,
  scale: number,
  texts: PictureTexts,
  theme: Theme,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gives no canvas to draw on');
  const width = chart.width / scale + 2 * PADDING;
  context.font = `12px ${FONT}`;
  const sources = linesWithin(texts.source, width - 2 * PADDING, (text) => context.measureText(text).width);
  const top = texts.compared.length > 0 ? 116 : 88;
  const height = top + chart.height / scale + 12 + sources.length * 16 + PADDING;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'top';

  function write(text: string, x: number, y: number, font: string, colour: string): number {
    if (!context) return x;
    context.font = `${font} ${FONT}`;
    context.fillStyle = colour;
    context.fillText(text, x, y);
    return x + context.measureText(text).width;
  }

  write(texts.title, PADDING, 14, '600 16px', theme.title);
  const end = write(texts.price, PADDING, 42, '600 28px', theme.title);
  const tone = texts.tone === undefined ? theme.text : theme[texts.tone];
  write(texts.change, end + 12, 52, '600 15px', tone);
  let x = PADDING;
  for (const { text, colour } of texts.compared) x = write(text, x, 86, '600 13px', colour) + 16;
  if (texts.isSimulated) stamp(context, width);
  context.drawImage(chart, PADDING, top, chart.width / scale, chart.height / scale);
  sources.forEach((line, index) => {
    write(line, PADDING, height - PADDING - (sources.length - index) * 16, '12px', theme.text);
  });
  return canvas;

  function stamp(on: CanvasRenderingContext2D, right: number): void {
    on.font = `600 13px ${FONT}`;
    write(SIMULATED, right - PADDING - on.measureText(SIMULATED).width, 16, '600 13px', theme.down);
  }
}

/** A text broken at its spaces. */
function linesWithin(text: string, width: number, measured: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && measured(`${line} ${word}`) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
