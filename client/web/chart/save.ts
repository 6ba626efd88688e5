/** Exports of a chart: a picture that explains itself, and a table. */
import { coinTitle } from '../../commands/coins.ts';
import { formatPercent, formatPrice, toneOf } from '../../commands/format/numbers.ts';
import { plainText, wrapWords } from '../../commands/format/text.ts';
import { csvText, recordsOf } from '../../commands/output.ts';
import type { ChartResult } from '../../commands/result.ts';
import { chartSource, comparedSeries, type ShownChart } from '../../commands/shown-chart.ts';
import { colourOf } from '../app/session.ts';
import { download } from '../app/stored.ts';

const PADDING = 16;
const FONT = 'system-ui, sans-serif';
const SIMULATED = 'Simulated data, not real prices';

/** Saves a chart's candles as a table, in the format of `cchart --format csv`. */
export function saveTable(result: ChartResult, chart: ShownChart): void {
  download(new Blob([csvText(recordsOf(result))], { type: 'text/csv' }), fileName(result, chart, 'csv'));
}

/** Saves a chart as a picture; `drawn` is the chart as painted by the browser. */
export function savePicture(result: ChartResult, chart: ShownChart, drawn: HTMLCanvasElement): void {
  const canvas = pictureOf(result, chart, drawn);
  canvas.toBlob((picture) => picture && download(picture, fileName(result, chart, 'png')));
}

/** `BTC-30d-2026-01-31.png`: only letters and digits. */
function fileName({ coin, compared }: ChartResult, { period }: ShownChart, ending: string): string {
  const symbols = [coin, ...compared.map((each) => each.coin)].map(({ symbol }) => symbol);
  const parts = [...symbols, period, new Date().toISOString().slice(0, 10)];
  const words = parts.map((part) => part.replace(/[^A-Za-z0-9-]+/g, '')).filter((part) => part !== '');
  return `${words.join('-')}.${ending}`;
}

function pictureOf(result: ChartResult, chart: ShownChart, drawn: HTMLCanvasElement): HTMLCanvasElement {
  const scale = devicePixelRatio;
  const compared = result.compared.length > 0 ? comparedSeries(result) : [];
  const isSimulated = [result, ...result.compared].some(({ provenance }) => provenance.isSimulated);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const width = drawn.width / scale + 2 * PADDING;
  const top = compared.length > 0 ? 116 : 88;
  context.font = `12px ${FONT}`;
  const fits = (text: string) => context.measureText(text).width <= width - 2 * PADDING;
  const sources = wrapWords(plainText([chartSource(result, chart, Date.now())]), fits);
  const height = top + drawn.height / scale + 12 + sources.length * 16 + PADDING;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  context.fillStyle = colourOf('surface');
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'top';
  const write = (text: string, x: number, y: number, font: string, colour: string): number => {
    context.font = `${font} ${FONT}`;
    context.fillStyle = colour;
    context.fillText(text, x, y);
    return x + context.measureText(text).width;
  };
  write(coinTitle(result.coin), PADDING, 14, '600 16px', colourOf('text'));
  const end = write(formatPrice(chart.price, chart.quote), PADDING, 42, '600 28px', colourOf('text'));
  const colour = colourOf(toneOf(chart.change) ?? 'muted');
  write(`${chart.period} ${formatPercent(chart.change)}`, end + 12, 52, '600 15px', colour);
  let x = PADDING;
  for (const [index, { coin, change }] of compared.entries()) {
    const text = `${coin.symbol} ${formatPercent(change)}`;
    x = write(text, x, 86, '600 13px', colourOf(`series-${index + 1}`)) + 16;
  }
  if (isSimulated) {
    context.textAlign = 'right';
    write(SIMULATED, width - PADDING, 16, '600 13px', colourOf('down'));
    context.textAlign = 'left';
  }
  context.drawImage(drawn, PADDING, top, drawn.width / scale, drawn.height / scale);
  for (const [index, line] of sources.entries())
    write(line, PADDING, height - PADDING - (sources.length - index) * 16, '12px', colourOf('muted'));
  return canvas;
}
