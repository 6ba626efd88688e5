import { coinTitle } from '../../commands/coins.ts';
import { chartSource } from '../../commands/format/chart.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { plainText } from '../../commands/format/text.ts';
import { csvText, recordsOf } from '../../commands/output.ts';
import type { ChartResult } from '../../commands/result.ts';
import { comparedSeries, type ShownChart } from '../../commands/shown-chart.ts';
import { download } from '../app/stored.ts';
import { pictureOf } from './picture.ts';
import { currentTheme } from './theme.ts';

/** Saves a chart as a picture; `drawn` is the chart as the browser has painted it. */
export function savePicture(result: ChartResult, chart: ShownChart, drawn: HTMLCanvasElement): void {
  const theme = currentTheme();
  const all = result.compared.length > 0 ? comparedSeries(result) : [];
  const texts = {
    title: coinTitle(result.coin),
    price: formatPrice(chart.price, chart.quote),
    change: `${chart.period} ${formatPercent(chart.change)}`,
    tone: chart.change === null ? undefined : chart.change < 0 ? 'down' : 'up',
    source: plainText([chartSource(result, chart, Date.now())]),
    isSimulated: [result, ...result.compared].some(({ provenance }) => provenance.isSimulated),
    compared: all.map(({ coin, change }, index) => ({
      text: `${coin.symbol} ${formatPercent(change)}`,
      colour: theme.compared[index] ?? theme.text,
    })),
  } as const;
  const name = nameOf(result, chart, 'png');
  pictureOf(drawn, devicePixelRatio, texts, theme).toBlob((picture) => picture && download(picture, name));
}

/** Saves the candles of a chart as a table, as `cchart --format csv` prints it. */
export function saveTable(result: ChartResult, chart: ShownChart): void {
  download(new Blob([csvText(recordsOf(result))], { type: 'text/csv' }), nameOf(result, chart, 'csv'));
}

function nameOf({ coin, compared }: ChartResult, { period }: ShownChart, ending: string): string {
  const symbols = [coin, ...compared.map((each) => each.coin)].map(({ symbol }) => symbol);
  const day = new Date().toISOString().slice(0, 10);
  return fileNameOf([...symbols, period, day], ending);
}

/** `BTC-30d-2026-01-31.png`: letters and digits alone. */
export function fileNameOf(parts: readonly string[], ending: string): string {
  const words = parts.map((part) => part.replace(/[^A-Za-z0-9-]+/g, '')).filter((part) => part !== '');
  return `${words.join('-') || 'chart'}.${ending}`;
}
