import type { Conversion } from '../../commands/currency/conversion.ts';
import { chartSource, countOf, periodOf } from '../../commands/format/chart.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { plainText } from '../../commands/format/text.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { type ShownChart, shownChart, styleOf } from '../../commands/shown-chart.ts';
import { button, element, lineElements } from '../dom.ts';
import { createControls } from './card-controls.ts';
import type { CardRequest } from './card-request.ts';
import type { ChartView } from './chart-view.ts';
import { legendParts } from './legend.ts';

export interface CardOptions {
  readonly load: (request: CardRequest) => Promise<ChartResult | FailureResult>;
  /** From US dollars to the currency of the page. */
  readonly conversion: () => Conversion | undefined;
  readonly runCommand: (command: string) => void;
  /** After the card was asked to show something else. */
  readonly onChange: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

export interface Card {
  readonly element: HTMLElement;
  readonly request: () => CardRequest;
  /** Shows a request; `result` is its answer, if it has arrived already. */
  show(request: CardRequest, result?: ChartResult): Promise<void>;
  retryIfFailed(): void;
  /** Shows the same candles in the currency that the page has now. */
  convert(): void;
  focus(): void;
  remove(): void;
}

/** One chart with its heading, controls, legend and source; while loading a skeleton, a failure in its place. */
export function createCard(first: CardRequest, options: CardOptions): Card {
  const { load, conversion, runCommand, onChange, onMove, onRemove } = options;
  const name = coinTitle(first.coin);
  let request = first;
  let answered: ChartResult | undefined;
  let shown: ShownChart | undefined;
  let isFailed = false;
  let view: ChartView | undefined;
  let turn = 0;
  let isRemoved = false;

  const price = element('p', { class: 'last' });
  const legend = element('p', { class: 'legend' });
  const source = element('p', { class: 'source' });
  const canvas = element('div', { class: 'chart', tabindex: '0', role: 'img' });
  const skeleton = element('div', { class: 'skeleton', 'aria-hidden': 'true' });
  const failure = element('div', { class: 'failure', role: 'alert', hidden: '' });
  const controls = createControls(name, {
    onStyle: (style) =>
      void show({ ...request, command: { ...request.command, style } }, answered).then(onChange),
    onRange: (range) => void show({ ...request, command: { ...request.command, range } }).then(onChange),
    onRefresh: () => void show(request),
    onMove,
    onRemove,
  });
  const article = element(
    'article',
    { class: 'card', tabindex: '-1', 'aria-label': name },
    element('header', {}, element('h3', {}, name), price, controls.actions),
    controls.view,
    legend,
    element('div', { class: 'stage' }, canvas, skeleton, failure),
    source,
  );

  async function show(next: CardRequest, result?: ChartResult): Promise<void> {
    request = next;
    turn += 1;
    const own = turn;
    article.setAttribute('aria-busy', 'true');
    failure.hidden = true;
    const [{ createChartView }, answer] = await Promise.all([
      import('./chart-view.ts'), // fetched with the first card
      result ?? load(next),
    ]);
    if (own !== turn || isRemoved) return; // asked for something else meanwhile
    article.removeAttribute('aria-busy');
    skeleton.hidden = true;
    isFailed = answer.kind === 'failure';
    if (answer.kind === 'failure') return showFailure(answer);
    view ??= createChartView(canvas, (candle) => showLegend(candle));
    draw(answer);
  }

  function draw(answer: ChartResult): void {
    const converted = answer.data.quote === 'btc' ? undefined : conversion();
    answered = { ...answer, command: request.command, conversion: converted };
    shown = shownChart(answered);
    const { series, quote } = shown;
    const style = styleOf(answered);
    controls.update(style, request.command.range);
    view?.draw({ series, style, quote, interval: answer.data.interval });
    showTexts(answered, shown);
  }

  function showTexts(result: ChartResult, { series, price: now, change, quote }: ShownChart): void {
    const { interval } = result.data;
    const style = styleOf(result);
    const lastPrice = formatPrice(now, quote);
    const changed = `${periodOf(series, interval)} ${formatPercent(change)}`;
    price.replaceChildren(
      element('span', {}, lastPrice),
      element('span', { class: toneOf(change) }, changed),
    );
    source.textContent = plainText([chartSource(result, shownChart(result), Date.now())]);
    const kind = style === 'line' ? 'Line chart' : 'Candlestick chart';
    const text = `${kind} of ${name}, ${countOf(series.length, interval, style)}, last ${lastPrice}, ${changed}. Arrow keys move from candle to candle.`;
    canvas.setAttribute('aria-label', text);
    showLegend(undefined);
  }

  /** The candle under the crosshair, otherwise the last one. */
  function showLegend(candle: SeriesCandle | undefined): void {
    if (!shown || !answered) return;
    const { series, quote } = shown;
    const at = candle ?? series.at(-1);
    if (at) legend.replaceChildren(...legendParts(at, { quote, interval: answered.data.interval }));
    else legend.textContent = 'No candles in this time.';
  }

  function showFailure({ lines }: FailureResult): void {
    failure.replaceChildren(
      ...lineElements(lines, runCommand),
      button('Try again', () => void show(request), { 'aria-label': `Try again to load ${name}` }),
    );
    failure.hidden = false;
  }

  return {
    element: article,
    request: () => request,
    show,
    retryIfFailed() {
      if (isFailed) void show(request);
    },
    convert() {
      if (answered) draw(answered);
    },
    focus() {
      article.focus({ preventScroll: true });
      article.scrollIntoView({ block: 'nearest' });
    },
    remove() {
      isRemoved = true;
      view?.remove();
      article.remove();
    },
  };
}
