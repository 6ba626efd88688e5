import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { coinNotes, coinTitle } from '../../commands/coins.ts';
import { chartSource } from '../../commands/format/chart.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { clean, span } from '../../commands/format/text.ts';
import { together } from '../../commands/provenance.ts';
import type { ChartResult, CoinCandles } from '../../commands/result.ts';
import { runChart } from '../../commands/run.ts';
import { comparedSeries, type ShownChart, shownChart, styleOf } from '../../commands/shown-chart.ts';
import type { KnownTicker } from '../../commands/tickers.ts';
import { type Feed, type Loaded, useFeed } from '../app/feed.ts';
import { Change, Failure } from '../app/parts.tsx';
import { announce, context, conversion, knownTicker, notify, shownTheme } from '../app/session.ts';
import type { ChartView } from './chart-view.ts';
import { savePicture, saveTable } from './exports.ts';
import { candleText, Legend } from './legend.tsx';
import type { ChartRequest } from './request.ts';
import { Toolbar } from './toolbar.tsx';

export type ChartFeed = Feed<ChartResult>;

/** Keeps the candles of a chart fresh, with the prices of its coins. */
export function useChart(request: ChartRequest): ChartFeed {
  const { coin, command, compared } = request;
  const ids = compared.map(({ id }) => id);
  const key = JSON.stringify([coin.id, command.range, ids]);
  return useFeed(
    key,
    async (): Promise<Loaded<ChartResult> | Exclude<Awaited<ReturnType<typeof runChart>>, ChartResult>> => {
      const result = await runChart(coin, command, context, compared);
      if (result.kind === 'failure') return result;
      const all = [result, ...result.compared].flatMap(({ provenance, ticker }) => [
        provenance,
        ticker?.provenance ?? provenance,
      ]);
      return { value: result, provenance: together(all) };
    },
  );
}

/** What a feed's answer shows now: at the newest prices, in the page's currency, in the look of the request. */
export function shownNow(
  result: ChartResult,
  request: ChartRequest,
): { readonly result: ChartResult; readonly chart: ShownChart } {
  const own = result.data.quote === 'btc' ? undefined : conversion.value;
  const newest: ChartResult = {
    ...result,
    ...withNewest(result),
    command: { ...result.command, style: request.command.style },
    compared: result.compared.map(withNewest),
    conversion: own,
  };
  return { result: newest, chart: shownChart(newest) };
}

function withNewest<Candles extends CoinCandles>(candles: Candles): Candles {
  const ticker: KnownTicker | undefined = candles.ticker && (knownTicker(candles.coin.id) ?? candles.ticker);
  return { ...candles, ticker };
}

interface ChartProps {
  readonly request: ChartRequest;
  readonly feed: ChartFeed;
  readonly onChange: (next: ChartRequest) => void;
  /** Of the page with just this chart. */
  readonly link: string;
  /** Beside the values under the crosshair. */
  readonly beside?: ComponentChildren;
}

/** A chart with everything that can be done with it. What it shows stays until there is something newer. */
export function Chart({ request, feed, onChange, link, beside }: ChartProps) {
  const view = useRef<ChartView>(undefined);
  const canvas = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [isExpanded, setExpanded] = useState(false);
  const time = useSignal<number | undefined>(undefined);
  const name = coinTitle(request.coin);
  const loaded = feed.loaded.value;
  const failure = feed.failure.value;
  const now = loaded && shownNow(loaded.value, request);
  const compared = now && now.result.compared.length > 0 ? comparedSeries(now.result) : [];
  const told = now && { chart: now.chart, compared, interval: now.result.data.interval };
  const latest = useRef(told);
  latest.current = told;
  const canBeLogarithmic = now?.chart.series.every(({ low }) => low > 0) ?? false;
  const theme = shownTheme.value;

  useEffect(() => {
    let isGone = false;
    import('./chart-view.ts').then(
      ({ createChartView }) => {
        if (isGone || !canvas.current || !frame.current) return;
        view.current = createChartView(canvas.current, frame.current, (at, isByKey) => {
          time.value = at;
          if (isByKey && latest.current) announce(at === undefined ? '' : candleText(latest.current, at));
        });
        setLoaded(true);
      },
      () => setBroken(true),
    );
    return () => {
      isGone = true;
      view.current?.remove();
    };
  }, []);
  useEffect(() => {
    if (!now || !isLoaded) return;
    view.current?.draw({
      series: now.chart.series,
      compared,
      style: styleOf(now.result),
      isLogarithmic: request.isLogarithmic && canBeLogarithmic,
      hasAverage: request.hasAverage === true,
      quote: now.chart.quote,
      interval: now.result.data.interval,
    });
  }, [
    isLoaded,
    loaded,
    JSON.stringify([
      request.command.style,
      request.isLogarithmic,
      request.hasAverage,
      now?.chart.price,
      compared.map(({ change }) => change),
      now?.chart.quote,
    ]),
    theme,
  ]);
  useEffect(() => {
    if (!isExpanded) return;
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && setExpanded(false);
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [isExpanded]);

  return (
    <div class={`chart ${isExpanded ? 'expanded' : ''}`} aria-busy={feed.isBusy.value}>
      <Toolbar
        name={name}
        request={request}
        style={now ? styleOf(now.result) : (request.command.style ?? 'candles')}
        canBeLogarithmic={canBeLogarithmic}
        isExpanded={isExpanded}
        onChange={onChange}
        onExpand={setExpanded}
        onRefresh={() => void feed.refresh()}
        onLink={() => void copyLink(link)}
        onPicture={() => now && view.current && savePicture(now.result, now.chart, view.current.screenshot())}
        onTable={() => now && saveTable(now.result, now.chart)}
      />
      {failure && loaded && <Failure failure={failure} name={name} onRetry={() => void feed.refresh()} />}
      <div class="legend-row">
        {isExpanded && now && (
          <strong>
            {name} {formatPrice(now.chart.price, now.chart.quote)}
          </strong>
        )}
        {told ? <Legend told={told} time={time.value} /> : <p class="legend">&nbsp;</p>}
        {beside}
      </div>
      <div class="stage">
        {/* What the library makes is nothing to read: the chart has a name, and its values are announced as keys move. */}
        <div
          ref={frame}
          class="frame"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its crosshair
          tabIndex={0}
          role="application"
          aria-roledescription="chart"
          aria-label={now ? labelOf(name, now.result, now.chart) : `Chart of ${name}`}
        >
          <div ref={canvas} class="canvas" aria-hidden="true" />
        </div>
        {isBroken && (
          <p class="failure" role="alert">
            The part of this page that draws charts could not be loaded: load the page again.
          </p>
        )}
        {!loaded &&
          (failure ? (
            <Failure failure={failure} name={name} onRetry={() => void feed.refresh()} />
          ) : (
            <p class="skeleton">Loading {clean(request.coin.name)} …</p>
          ))}
      </div>
    </div>
  );
}

async function copyLink(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    notify('Link copied');
  } catch {
    notify(`The link could not be copied: ${link}`);
  }
}

function labelOf(name: string, { data, compared }: ChartResult, chart: ShownChart): string {
  const others = compared.map(({ coin }) => coinTitle(coin)).join(', ');
  const what = others ? `Chart of ${name} compared with ${others}` : `Chart of ${name}`;
  const last = `last ${formatPrice(chart.price, chart.quote)}, ${periodText(chart)} ${formatPercent(chart.change)}`;
  return `${what}: ${chart.series.length} candles of ${data.interval}, ${last}. Arrow keys move along it.`;
}

/** The change of what a chart shows, with the time that it is of. */
export function ChartChange({ chart }: { readonly chart: ShownChart }) {
  return (
    <>
      <span class="period">{periodText(chart)}</span> <Change percent={chart.change} />
    </>
  );
}

/** Lists have the ticker's change: one that is counted from candles is called so. */
function periodText({ period, isTickersChange }: ShownChart): string {
  return isTickersChange ? period : `${period} by candles`;
}

/** Where the data of a chart comes from, in lines. */
export function sourceLines(result: ChartResult, chart: ShownChart) {
  return [
    chartSource(result, chart, Date.now()),
    ...coinNotes(result.coin),
    ...result.compared.map(({ coin, provenance: { sources, quality } }) => [
      span(`${clean(coin.symbol)}: ${sources.join(', ') || 'source unknown'}, ${quality}`),
    ]),
  ];
}
