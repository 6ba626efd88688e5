/** Results for programs: JSON as the service returns it, and flat records for CSV and lines of JSON. */
import { csvField } from '../../shared/platform/csv-field.ts';
import type { MarketdataSearchData } from '../sdk/index.ts';
import type { Coin } from './coins.ts';
import { type Conversion, converted, DOLLAR } from './currency.ts';
import { clean, plainText } from './format/text.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles, FailureResult, PriceResult, SearchResult } from './result.ts';
import type { RatedTicker } from './tickers.ts';

export type DataResult = PriceResult | ChartResult | SearchResult;

/**
 * The output of `--json`: the service's data unchanged, with `_meta` beside it: source, quality and chosen coin. With
 * `--currency` current prices, which are in US dollars, have one more field, `conversion`, by which readers multiply them;
 * candles are in the currency that `quote` names. For several coins it is an array; those without a price are errors at its
 * end.
 */
export function jsonOf(result: DataResult): unknown {
  if (result.kind === 'search') {
    const { source, dataTime, simulated } = metaOf(result.provenance);
    return { ...result.data, _meta: { source, dataTime, simulated } };
  }
  const { conversion } = result;
  const all =
    result.kind === 'chart'
      ? [result, ...result.compared].map(({ coin, data, provenance }) => {
          const unit = /^(?:usd|btc)$/.test(data.quote) ? 'quote' : 'currency';
          const request = { ...result.command.range, interval: data.interval, [unit]: data.quote };
          return { ...data, _meta: { ...metaOf(provenance, coin), request } };
        })
      : [...result.prices.map((priced) => pricedJson(priced, conversion)), ...result.missing.map(errorOf)];
  return all.length === 1 ? all[0] : all;
}

/** A coin's ticker as the service returns it, with `conversion` and `_meta`. */
export function pricedJson({ data, provenance }: RatedTicker, conversion: Conversion | undefined) {
  return { ...data, ...conversionField(conversion), _meta: metaOf(provenance, data) };
}

/** A failure in JSON output: the first line is the message, the others are the hint. */
export function errorOf({ reason, lines, retryAfterSeconds }: FailureResult) {
  const [message = [], ...others] = lines;
  const hint = others.map((line) => plainText([line]).trim()).join('\n');
  return {
    error: {
      reason,
      message: plainText([message]),
      ...(hint && { hint }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

function metaOf(provenance: Provenance, coin?: Pick<Coin, 'id' | 'symbol'>) {
  const outdatedSeconds = outdatedSecondsOf(provenance);
  return {
    ...(coin && { id: coin.id, symbol: coin.symbol }),
    source: sourceOf(provenance),
    quality: provenance.quality,
    dataTime: dataTimeOf(provenance),
    simulated: provenance.isSimulated,
    ...(outdatedSeconds !== null && { outdatedSeconds }),
  };
}

function conversionField(conversion: Conversion | undefined) {
  if (!conversion) return {};
  const { currency, rate, day, provenance } = conversion;
  const { quality } = provenance;
  return { conversion: { from: DOLLAR, to: currency, rate, day, source: sourceOf(provenance), quality } };
}

/** All sources, including `simulated`. */
function sourceOf({ sources, isSimulated }: Provenance): string {
  return [...sources, ...(isSimulated ? ['simulated'] : [])].join(',');
}

/** ISO 8601; null if unknown. */
function dataTimeOf({ madeAt }: Provenance): string | null {
  return madeAt === undefined ? null : new Date(madeAt).toISOString();
}

/** The age beyond a response's lifetime, in whole seconds; null within it. */
function outdatedSecondsOf({ outdatedMs }: Provenance): number | null {
  return outdatedMs === undefined ? null : Math.floor(outdatedMs / 1000);
}

/** Null: unknown to the service. */
type Cell = string | number | boolean | null;
/** All records of one result have the same fields in the same order. */
type FlatRecord = Readonly<Record<string, Cell>>;

export interface Records {
  readonly columns: readonly string[];
  readonly records: readonly FlatRecord[];
}

type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const origin: Columns<{ readonly provenance: Provenance }> = {
  data_time: ({ provenance }) => dataTimeOf(provenance),
  source: ({ provenance }) => sourceOf(provenance),
  quality: ({ provenance }) => provenance.quality,
  outdated_seconds: ({ provenance }) => outdatedSecondsOf(provenance),
};

type PriceRow = RatedTicker & { readonly conversion: Conversion | undefined };

const priceColumns: Columns<PriceRow> = {
  symbol: ({ data }) => data.symbol,
  name: ({ data }) => data.name,
  id: ({ data }) => data.id,
  rank: ({ data }) => data.rank,
  currency: ({ conversion }) => conversion?.currency ?? DOLLAR,
  price: ({ data, conversion }) => converted(data.quotes.USD.price, conversion),
  percent_change_1h: ({ data }) => data.quotes.USD.percent_change_1h,
  percent_change_24h: ({ data }) => data.quotes.USD.percent_change_24h,
  percent_change_7d: ({ data }) => data.quotes.USD.percent_change_7d,
  market_cap: ({ data, conversion }) => converted(data.quotes.USD.market_cap, conversion),
  volume_24h: ({ data, conversion }) => converted(data.quotes.USD.volume_24h, conversion),
  ...origin,
};

interface CandleRow extends Pick<CoinCandles, 'coin' | 'data' | 'provenance'> {
  readonly candle: CoinCandles['data']['data'][number];
}

const candleColumns: Columns<CandleRow> = {
  symbol: ({ coin }) => coin.symbol,
  id: ({ coin }) => coin.id,
  interval: ({ data }) => data.interval,
  currency: ({ data }) => data.quote.toUpperCase(),
  time_open: ({ candle }) => candle.time_open,
  time_close: ({ candle }) => candle.time_close,
  open: ({ candle }) => candle.open,
  high: ({ candle }) => candle.high,
  low: ({ candle }) => candle.low,
  close: ({ candle }) => candle.close,
  volume: ({ candle }) => candle.volume,
  market_cap: ({ candle }) => candle.market_cap,
  ...origin,
};

const matchColumns: Columns<MarketdataSearchData['results'][number]> = {
  symbol: ({ symbol }) => symbol,
  name: ({ name }) => name,
  id: ({ id }) => id,
  rank: ({ rank }) => rank,
  type: ({ type }) => type,
  is_active: ({ is_active }) => is_active,
  is_new: ({ is_new }) => is_new,
};

/** A result as a table for programs: a record per coin, candle or match, with amounts in the currency it names. */
export function recordsOf(result: DataResult): Records {
  if (result.kind === 'search') return table(matchColumns, result.data.results);
  if (result.kind === 'price') {
    const { prices, conversion } = result;
    return table(
      priceColumns,
      prices.map((priced) => ({ ...priced, conversion })),
    );
  }
  const rows = [result, ...result.compared].flatMap(({ coin, data, provenance }) =>
    data.data.map((candle) => ({ coin, data, provenance, candle })),
  );
  return table(candleColumns, rows);
}

export function priceRecord(ticker: RatedTicker, conversion: Conversion | undefined): FlatRecord {
  return recordOf(priceColumns, { ...ticker, conversion });
}

function table<Row>(columns: Columns<Row>, rows: readonly Row[]): Records {
  return { columns: Object.keys(columns), records: rows.map((row) => recordOf(columns, row)) };
}

function recordOf<Row>(columns: Columns<Row>, row: Row): FlatRecord {
  return Object.fromEntries(Object.entries(columns).map(([name, cellOf]) => [name, cellOf(row)]));
}

/**
 * Comma-separated values with a header; lines end with a line feed alone, as shell tools expect. Numbers have a point and
 * no thousands separators, and unknown values are empty. Texts have no control characters.
 */
export function csvText({ columns, records }: Records): string {
  const rows = records.map((record) => columns.map((column) => record[column] ?? null));
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  return csvField(clean(cell));
}
