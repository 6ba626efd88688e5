import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { coinNotes, coinTitle } from '../../commands/coins.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { clean, span } from '../../commands/format/text.ts';
import type { Provenance } from '../../commands/provenance.ts';
import type { ChartResult, CoinCandles } from '../../commands/result.ts';
import { runChart } from '../../commands/run.ts';
import {
  chartSource,
  comparedSeries,
  isQuote,
  type ShownChart,
  shownChart,
  styleOf,
} from '../../commands/shown-chart.ts';
import { agreementText, defaultProtocol, providerTitle, titleOf } from '../../commands/sources.ts';
import type { Quality } from '../../sdk/index.ts';
import { Disclosure } from '../app/button.tsx';
import { ofAll, useFeed } from '../app/feed.ts';
import { Change, Failure, Price } from '../app/parts.tsx';
import {
  announce,
  context,
  conversion,
  currentConversion,
  knownTicker,
  notify,
  shownCurrency,
  shownTheme,
} from '../app/session.ts';
import { type ChartRequest, keyOf } from './address.ts';
import type { ChartView, Drawn } from './chart-view.ts';
import { candleText, Legend } from './legend.tsx';
import { savePicture, saveTable } from './save.ts';
import { Toolbar } from './toolbar.tsx';

/**
 * Keeps a chart's candles and its coins' prices fresh. `shown` combines them at the newest prices, in the page's currency
 * and the requested look: the previous range or currency while another one loads, and nothing if that failed.
 */
export function useChart(request: ChartRequest) {
  const { coin, compared, style, range } = request;
  const isInBitcoin = range.quote === 'btc';
  const key = isInBitcoin ? keyOf(request) : `${keyOf(request)} ${shownCurrency.value}`;
  const feed = useFeed<ChartResult>(key, coinTitle(coin), async () => {
    const [symbol = '', ...compare] = [coin, ...compared].map((each) => each.symbol);
    const command = { name: 'chart', symbol, compare, protocol: defaultProtocol, style, range } as const;
    const toCurrency = isInBitcoin ? undefined : await currentConversion();
    const value = await runChart(coin, command, context, { others: compared, conversion: toCurrency });
    if (value.kind === 'failure') return value;
    const all = [value, ...value.compared].flatMap((each) => [each.provenance, each.ticker?.provenance]);
    return { value, provenance: ofAll(all) };
  });
  const answer = feed.isOfBefore && feed.failure ? undefined : feed.value;
  const newest = conversion.value;
  const result: ChartResult | undefined = answer && {
    ...answer,
    ...withNewest(answer),
    command: { ...answer.command, style },
    compared: answer.compared.map(withNewest),
    conversion: newest && isQuote(answer.data.quote, newest) ? newest : answer.conversion,
  };
  return { ...feed, result, shown: result && shownChart(result) };
}

type LoadedChart = ReturnType<typeof useChart>;

function withNewest<Candles extends CoinCandles>(candles: Candles): Candles {
  return { ...candles, ticker: candles.ticker && (knownTicker(candles.coin.id) ?? candles.ticker) };
}

interface ChartProps {
  readonly request: ChartRequest;
  readonly chart: LoadedChart;
  readonly onChange: (next: ChartRequest) => void;
  /** The address of a page with only this chart. */
  readonly link: string;
  /** The content beside the values under the crosshair. */
  readonly beside: ComponentChildren;
}

/** A chart with all its controls. Its data stays until newer data arrives. */
export function Chart({ request, chart, onChange, link, beside }: ChartProps) {
  const { result, shown, failure, refresh, isBusy, isOfBefore } = chart;
  const name = coinTitle(request.coin);
  const [isExpanded, setExpanded] = useState(false);
  const [time, setTime] = useState<number>();
  const place = useRef<HTMLDivElement>(null);
  const canBeLogarithmic = shown?.series.every(({ low }) => low > 0) ?? false;
  const drawn: Drawn | undefined = result &&
    shown && {
      series: shown.series,
      compared: result.compared.length > 0 ? comparedSeries(result) : [],
      style: styleOf(result),
      isLogarithmic: request.isLogarithmic === true && canBeLogarithmic,
      hasAverage: request.hasAverage === true,
      quote: shown.quote,
      interval: result.data.interval,
    };
  const { frame, canvas, view, isBroken } = useView(drawn, setTime);
  useEffect(() => {
    if (!isExpanded || !place.current) return;
    const others = othersThan(place.current);
    const leave = ({ key }: KeyboardEvent) =>
      key === 'Escape' && !document.querySelector('dialog[open]') && setExpanded(false);
    for (const other of others) other.inert = true;
    document.addEventListener('keydown', leave);
    return () => {
      for (const other of others) other.inert = false;
      document.removeEventListener('keydown', leave);
    };
  }, [isExpanded]);

  return (
    <div
      ref={place}
      class={`chart ${isExpanded ? 'expanded' : ''} ${isOfBefore ? 'before' : ''}`}
      aria-busy={isBusy}
      {...(isExpanded && { role: 'dialog', 'aria-modal': true, 'aria-label': name })}
    >
      <Toolbar
        name={name}
        request={request}
        drawn={drawn}
        canBeLogarithmic={canBeLogarithmic}
        onChange={onChange}
        isExpanded={isExpanded}
        onExpand={setExpanded}
        actions={{
          'Copy link': () => void copyLink(link),
          'Save PNG': () =>
            result && shown && view.current && savePicture(result, shown, view.current.screenshot()),
          'Save CSV': () => result && shown && saveTable(result, shown),
          Refresh: refresh,
        }}
      />
      {shown && <Failure feed={chart} name={name} />}
      <div class="legend-row">
        {isExpanded && shown && (
          <strong>
            {name} {formatPrice(shown.price, shown.quote)}
          </strong>
        )}
        {drawn ? <Legend drawn={drawn} time={time} /> : <p class="legend">&nbsp;</p>}
        {beside}
      </div>
      <div class="stage">
        {/* What the library makes is nothing to read: the chart has a name, and its values are announced as keys move. */}
        <div
          ref={frame}
          class={`frame ${drawn ? '' : 'empty'}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its crosshair
          tabIndex={0}
          role="application"
          aria-roledescription="chart"
          aria-label={result && shown ? labelOf(name, result, shown) : `Chart of ${name}`}
        >
          <div ref={canvas} class="canvas" aria-hidden="true" />
        </div>
        {isBroken && (
          <p class="failure" role="alert">
            The part of this page that draws charts could not be loaded: load the page again.
          </p>
        )}
        {!shown && <Failure feed={chart} name={name} />}
        {!shown && !failure && <p class="skeleton">Loading {clean(request.coin.name)} …</p>}
      </div>
    </div>
  );
}

/** Draws in a canvas, with the library that the first chart loads. */
function useView(drawn: Drawn | undefined, onTime: (time: number | undefined) => void) {
  const view = useRef<ChartView>(undefined);
  const canvas = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(drawn);
  latest.current = drawn;
  const [state, setState] = useState<'loading' | 'ready' | 'broken'>('loading');
  useEffect(() => {
    let isGone = false;
    import('./chart-view.ts').then(
      ({ createChartView }) => {
        if (isGone || !canvas.current || !frame.current) return;
        view.current = createChartView(canvas.current, frame.current, (at, isByKey) => {
          onTime(at);
          if (isByKey && latest.current) announce(at === undefined ? '' : candleText(latest.current, at));
        });
        setState('ready');
      },
      () => setState('broken'),
    );
    return () => {
      isGone = true;
      view.current?.remove();
    };
  }, []);
  useEffect(() => {
    if (drawn) view.current?.draw(drawn);
  }, [state, shownTheme.value, JSON.stringify(drawn)]);
  return { view, canvas, frame, isBroken: state === 'broken' };
}

/** The siblings of an element and of all its ancestors, except dialogs and live regions. */
function othersThan(element: Element): HTMLElement[] {
  const { parentElement: parent } = element;
  if (!parent) return [];
  const beside = [...parent.children].filter((each) => each !== element && each instanceof HTMLElement);
  const others = beside.filter((each) => !each.matches('dialog, .toast, .visually-hidden'));
  return [...others, ...(parent === document.body ? [] : othersThan(parent))] as HTMLElement[]; // by the filter
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

/** The change over a chart's range, with its period. */
export function ChartChange({ chart }: { readonly chart: ShownChart }) {
  return (
    <>
      <span class="period">{periodText(chart)}</span> <Change percent={chart.change} />
    </>
  );
}

/** Lists show the ticker's change, so one computed from candles is labelled. */
function periodText({ period, isTickersChange }: ShownChart): string {
  return isTickersChange ? period : `${period} by candles`;
}

/** The reliability of the prices in a few words; a click shows their sources. */
export function SourceBadge({ chart: { result, shown } }: { readonly chart: LoadedChart }) {
  if (!result || !shown) return null;
  const { coin, compared, ticker } = result;
  const { quality, outdatedMs } = shown.provenance;
  const markets = compared.length === 0 ? ticker?.data.sources : undefined;
  const isWarning = outdatedMs !== undefined || quality === 'stale' || quality === 'disputed';
  const source = sourceText(shown.provenance);
  const lines = [
    chartSource(result, shown, Date.now()),
    ...coinNotes(coin),
    ...compared.map(({ coin: { symbol }, provenance: { sources, quality } }) => [
      span(`${clean(symbol)}: ${sources.join(', ') || 'source unknown'}, ${quality}`),
    ]),
  ];
  return (
    <Disclosure
      kind="badge"
      class={`badge ${isWarning ? 'warning' : ''}`}
      button={markets ? agreementText(markets) : source}
    >
      {markets && <span class="line">{source}</span>}
      {markets?.prices.map(({ exchange, price }) => (
        <span key={exchange} class="line">
          {titleOf(exchange) ?? clean(exchange)} <Price usd={price} />
        </span>
      ))}
      {lines.map((line) => (
        <span class="line">{line.map(({ text }) => text).join('')}</span>
      ))}
    </Disclosure>
  );
}

/** `One · exact`, `One and 2 more · sampled`, `Simulated`. */
function sourceText({ sources, isSimulated, quality, outdatedMs }: Provenance): string {
  const [first, ...others] = sources.map((source) => titleOf(source) ?? clean(source));
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const simulated = first ? `${first}${more}, simulated` : 'Simulated';
  const who = isSimulated ? simulated : `${first ?? providerTitle}${more}`;
  return `${who} · ${outdatedMs === undefined ? words[quality] : 'out of date'}`;
}

const words: Readonly<Record<Quality, string>> = {
  exact: 'exact',
  sampled: 'sampled',
  derived: 'from closes',
  disputed: 'disputed',
  stale: 'out of date',
};
