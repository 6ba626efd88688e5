import { comparedSeries } from '../../commands/compare.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import type { ChartResult } from '../../commands/result.ts';
import { periodOf } from '../../commands/series.ts';
import type { ShownChart } from '../../commands/shown-chart.ts';
import { hashOf } from '../dashboard.ts';
import type { CardRequest } from './card-request.ts';
import { download, fileNameOf } from './download.ts';
import { csvOf } from './export-csv.ts';
import { pictureOf } from './export-picture.ts';
import { changeText } from './headline.ts';
import { sourceText } from './source-badge.ts';
import { currentTheme } from './theme.ts';

/** Saves what a card shows as a picture; `drawn` is its chart as the browser has painted it. */
export function savePicture(result: ChartResult, chart: ShownChart, drawn: HTMLCanvasElement): void {
  const theme = currentTheme();
  const all = result.compared.length > 0 ? comparedSeries(result) : [];
  const texts = {
    title: coinTitle(result.coin),
    price: formatPrice(chart.price, chart.quote),
    change: changeText(chart),
    tone: chart.change === null ? undefined : chart.change < 0 ? 'down' : 'up',
    source: sourceText(result, chart, Date.now()),
    isSimulated: [result, ...result.compared].some(({ provenance }) => provenance.isSimulated),
    compared: all.map(({ coin, change }, index) => ({
      text: `${coin.symbol} ${formatPercent(change)}`,
      colour: theme.compared[index] ?? theme.text,
    })),
  } as const;
  const name = nameOf(result, chart, 'png');
  pictureOf(drawn, devicePixelRatio, texts, theme).toBlob((picture) => picture && download(picture, name));
}

/** Saves the candles of a card as a table. */
export function saveTable(result: ChartResult, chart: ShownChart): void {
  download(new Blob([csvOf(result)], { type: 'text/csv' }), nameOf(result, chart, 'csv'));
}

/** The address of a page with this card alone. */
export function linkOf(request: CardRequest): string {
  return `${location.origin}${location.pathname}${hashOf([request])}`;
}

function nameOf({ coin, compared, data }: ChartResult, { series }: ShownChart, ending: string): string {
  const symbols = [coin, ...compared.map((each) => each.coin)].map(({ symbol }) => symbol);
  const day = new Date().toISOString().slice(0, 10);
  return fileNameOf([...symbols, periodOf(series, data.interval), day], ending);
}
