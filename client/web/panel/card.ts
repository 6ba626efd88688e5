import type { Coin } from '../../commands/coins.ts';
import { type ComparedSeries, comparedSeries } from '../../commands/compare.ts';
import type { Conversion } from '../../commands/currency/conversion.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import { span } from '../../commands/format/text.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import { type ShownChart, shownChart, styleOf } from '../../commands/shown-chart.ts';
import type { KnownTicker } from '../../commands/tickers.ts';
import { createBanner, createFailurePlace } from './banner.ts';
import { createCardElements } from './card-elements.ts';
import { type CardRequest, comparing, nameOf } from './card-request.ts';
import { chartLabel } from './chart-label.ts';
import type { ChartView } from './chart-view.ts';
import { linkOf, savePicture, saveTable } from './exports.ts';

/** What is asked for past the browser's cache, which would give the same again: candles, or the prices as well. */
export type Anew = 'nothing' | 'candles' | 'all';

export interface CardOptions {
  readonly load: (request: CardRequest, anew: Anew) => Promise<ChartResult | FailureResult>;
  /** The newest price of a coin that is known. */
  readonly ticker: (id: string) => KnownTicker | undefined;
  readonly find: (symbol: string) => Promise<Coin | FailureResult>;
  /** From US dollars to the currency of the page. */
  readonly conversion: () => Conversion | undefined;
  readonly runCommand: (command: string) => void;
  readonly onSettings: () => void;
  /** For screen readers, and for what is not seen. */
  readonly announce: (text: string) => void;
  /** After the card shows, or was asked to show, something else. */
  readonly onChange: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onExpand: () => void;
  readonly onRemove: () => void;
}

export interface Card {
  readonly element: HTMLElement;
  /** What it shows; of a card that shows nothing yet, what it should. */
  readonly request: () => CardRequest;
  readonly result: () => ChartResult | undefined;
  /** Shows a request; `result` is its answer, if it has arrived already. */
  show(request: CardRequest, result?: ChartResult): Promise<void>;
  /** Asks for newer candles; a failure is told by the age alone. Resolves to whether there was an answer. */
  refresh(): Promise<boolean>;
  readonly isBusy: () => boolean;
  retryIfFailed(): void;
  /** Shows the same candles in the currency that the page has now, and at the newest prices. */
  redraw(): void;
  /** Shows how old everything is by now. */
  tick(): void;
  setExpanded(isExpanded: boolean): void;
  focus(): void;
  remove(): void;
}

interface Shown {
  readonly request: CardRequest;
  readonly result: ChartResult;
  readonly chart: ShownChart;
  /** The coin and those that it is compared with; empty if there are none. */
  readonly compared: readonly ComparedSeries[];
}

interface Asking {
  readonly result?: ChartResult | undefined;
  readonly anew?: Anew;
  readonly isQuiet?: boolean;
}

/**
 * One chart with its price, ranges, legend and source; while loading a skeleton, a failure in its place. Once it shows
 * something, that stays until there is something newer: failures are told above it.
 */
export function createCard(first: CardRequest, options: CardOptions): Card {
  const { load, onChange, announce } = options;
  const name = coinTitle(first.coin);
  let wanted = first;
  let shown: Shown | undefined;
  let failed: CardRequest | undefined;
  let view: ChartView | undefined;
  let turn = 0;
  let isRemoved = false;

  const parts = createCardElements(first.coin, name, options.runCommand, {
    onStyle: (style) => restyle({ ...wanted, command: { ...wanted.command, style } }),
    onLogarithmic: (isLogarithmic) => restyle({ ...wanted, isLogarithmic }),
    onRange: (range) => void ask({ ...wanted, command: { ...wanted.command, range } }),
    onCopyLink: () => void copyLink(),
    onPicture: () => shown && view && savePicture(shown.result, shown.chart, view.screenshot()),
    onTable: () => shown && saveTable(shown.result, shown.chart),
    onExpand: options.onExpand,
    onRefresh: () => void ask(wanted, { anew: 'all' }),
    onMove: options.onMove,
    onRemoveCard: options.onRemove,
    find: options.find,
    onAdd(coin, asked) {
      const compare = [...wanted.command.compare, nameOf(coin, asked)];
      void ask({ ...wanted, compared: [...wanted.compared, coin], command: { ...wanted.command, compare } });
    },
    onRemove: (coin) =>
      void ask(
        comparing(
          wanted,
          wanted.compared.filter(({ id }) => id !== coin.id),
        ),
      ),
  });
  const { article, canvas, chart, skeleton, legend, headline, badge, ranges, menu } = parts;
  const failureOptions = { name, runCommand: options.runCommand, onSettings: options.onSettings };
  const place = createFailurePlace(failureOptions);
  const banner = createBanner(failureOptions, () => {
    failed = undefined;
    article.focus({ preventScroll: true });
  });
  parts.stage.append(place.element, banner.element);

  /** The same data in another look. */
  function restyle(next: CardRequest): void {
    void ask(next, shown && { result: shown.result });
  }

  async function ask(next: CardRequest, { result, anew = 'nothing', isQuiet = false }: Asking = {}) {
    turn += 1;
    const own = turn;
    wanted = next;
    article.setAttribute('aria-busy', 'true');
    if (!isQuiet) for (const each of [place, banner]) each.hide();
    updateControls();
    if (result) onChange(); // a look is kept at once
    const [library, answer] = await Promise.all([chartLibrary(), result ?? load(next, anew)]);
    if (own !== turn || isRemoved) return true; // asked for something else meanwhile
    article.removeAttribute('aria-busy');
    const failure =
      library && answer.kind === 'chart' ? undefined : answer.kind === 'failure' ? answer : noLibrary;
    if (failure) return fail(next, failure, isQuiet);
    skeleton.hidden = true;
    // What failed is still to be tried again when what is shown was refreshed meanwhile.
    if (!isQuiet || failed === next) {
      failed = undefined;
      for (const each of [place, banner]) each.hide();
    }
    if (library) view ??= library.createChartView(canvas, chart, tellTime);
    if (answer.kind === 'chart') draw(next, answer);
    onChange();
    return true;
  }

  /** What is shown stays, and the controls go back to it. */
  function fail(request: CardRequest, failure: FailureResult, isQuiet: boolean): boolean {
    const retry = () =>
      void ask(request, { anew: 'all' }).then((isAnswered) => {
        if (isAnswered) chart.focus({ preventScroll: true });
        else (shown ? banner : place).focus(); // the button that was pressed is gone
      });
    if (shown) {
      wanted = shown.request;
      updateControls();
      if (!isQuiet) banner.show(failure, retry);
    } else {
      skeleton.hidden = true;
      place.show(failure, retry);
    }
    if (!isQuiet) failed = request;
    onChange();
    return false;
  }

  function draw(request: CardRequest, answer: ChartResult): void {
    const { command } = request;
    const newest = { ...withNewest(answer), command };
    const conversion = answer.data.quote === 'btc' ? undefined : options.conversion();
    const result: ChartResult = {
      ...newest,
      compared: answer.compared.map(withNewest),
      conversion,
    };
    const compared = result.compared.length > 0 ? comparedSeries(result) : [];
    shown = { request, result, chart: shownChart(result), compared };
    const { series, quote } = shown.chart;
    const { interval } = answer.data;
    view?.draw({
      series,
      compared,
      style: styleOf(result),
      isLogarithmic: request.isLogarithmic && isPositive(shown.chart),
      quote,
      interval,
    });
    headline.show(shown.chart);
    badge.show(result, shown.chart);
    chart.setAttribute('aria-label', chartLabel(name, result, shown.chart));
    updateControls();
    tellTime(undefined, false);
  }

  function withNewest<Candles extends { readonly coin: Coin; readonly ticker?: KnownTicker | undefined }>(
    candles: Candles,
  ): Candles {
    const ticker = candles.ticker && (options.ticker(candles.coin.id) ?? candles.ticker);
    return { ...candles, ticker };
  }

  function tellTime(time: number | undefined, isByKey: boolean): void {
    if (shown) legend.tell({ ...shown, interval: shown.result.data.interval }, time, isByKey);
  }

  function updateControls(): void {
    const style = shown
      ? styleOf({ ...shown.result, command: wanted.command })
      : (wanted.command.style ?? 'candles');
    ranges.update(wanted.command.range);
    menu.update(wanted, style, shown !== undefined && isPositive(shown.chart));
  }

  async function copyLink(): Promise<void> {
    const link = linkOf(wanted);
    try {
      await navigator.clipboard.writeText(link);
      announce('Link copied');
    } catch {
      announce(`The link could not be copied: ${link}`);
    }
  }

  updateControls();
  return {
    element: article,
    request: () => wanted,
    result: () => shown?.result,
    async show(request, result) {
      await ask(request, { result });
    },
    refresh: () => ask(wanted, { isQuiet: true, anew: 'candles' }),
    isBusy: () => article.hasAttribute('aria-busy'),
    retryIfFailed() {
      if (failed) void ask(failed, { anew: 'all' });
    },
    redraw() {
      if (shown) draw(shown.request, shown.result);
    },
    tick: headline.tick,
    setExpanded: parts.setExpanded,
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

/** Fetched with the first card; undefined if it could not be. */
async function chartLibrary() {
  try {
    return await import('./chart-view.ts');
  } catch {
    return undefined;
  }
}

const noLibrary: FailureResult = {
  kind: 'failure',
  reason: 'unavailable',
  lines: [
    [span('The part of this page that draws charts could not be loaded: load the page again.', 'error')],
  ],
  isUnreachable: true,
};

/** A logarithm is of positive prices only. */
function isPositive({ series }: ShownChart): boolean {
  return series.length > 0 && series.every(({ low }) => low > 0);
}
