import type { Coin } from './coins.ts';
import { type Conversion, converted, DOLLAR } from './currency.ts';
import { clean, plainText } from './format/text.ts';
import type { Provenance } from './provenance.ts';
import type { ChartResult, CoinCandles, FailureResult, PriceResult, SearchResult } from './result.ts';
import type { KnownTicker } from './tickers.ts';

export type DataResult = PriceResult | ChartResult | SearchResult;

/**
 * What `--json` prints: the service's data as it came, its prices in what the service told them in, with `_meta` beside
 * it: where it comes from, how good it is, and which coin was taken. With a currency that data has one more field,
 * `conversion`, by which a reader multiplies what is in US dollars. An array if several coins were asked for, those that
 * have no price as errors at its end.
 */
export function jsonOf(result: DataResult): unknown {
  if (result.kind === 'search') {
    const { source, dataTime, simulated } = metaOf(result.provenance);
    return { ...result.data, _meta: { source, dataTime, simulated } };
  }
  const conversion = conversionField(result.conversion);
  const all =
    result.kind === 'chart'
      ? [result, ...result.compared].map((candles) => ({
          ...candles.data,
          ...conversion,
          _meta: { ...metaOf(candles.provenance, candles.coin), request: requestOf(result, candles) },
        }))
      : [
          ...result.prices.map((priced) => pricedJson(priced, result.conversion)),
          ...result.missing.map((failure) => errorOf(failure)),
        ];
  return all.length === 1 ? all[0] : all;
}

/** A coin's ticker as the service told it, with `conversion` and `_meta`. */
export function pricedJson({ data, provenance }: KnownTicker, conversion: Conversion | undefined) {
  return { ...data, ...conversionField(conversion), _meta: metaOf(provenance, data) };
}

/** What is printed of a failure where the output is JSON: the first line is the message, the lines that follow are the hint. */
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

/** All who had a part in it, `simulated` among them. */
export function sourceOf({ sources, isSimulated }: Provenance): string {
  return [...sources, ...(isSimulated ? ['simulated'] : [])].join(',');
}

/** ISO 8601; null if it is not known. */
export function dataTimeOf({ madeAt }: Provenance): string | null {
  return madeAt === undefined ? null : new Date(madeAt).toISOString();
}

/** In whole seconds; undefined for an answer within its lifetime. */
export function outdatedSecondsOf({ outdatedMs }: Provenance): number | undefined {
  return outdatedMs === undefined ? undefined : Math.floor(outdatedMs / 1000);
}

function metaOf(provenance: Provenance, coin?: Pick<Coin, 'id' | 'symbol'>) {
  const outdatedSeconds = outdatedSecondsOf(provenance);
  return {
    ...(coin && { id: coin.id, symbol: coin.symbol }),
    source: sourceOf(provenance),
    quality: provenance.quality,
    dataTime: dataTimeOf(provenance),
    simulated: provenance.isSimulated,
    ...(outdatedSeconds !== undefined && { outdatedSeconds }),
  };
}

function requestOf({ command }: ChartResult, { data: { interval, quote } }: CoinCandles) {
  return { ...command.range, interval, quote };
}

function conversionField(conversion: Conversion | undefined) {
  if (!conversion) return {};
  const { currency, rate, day, provenance } = conversion;
  const { quality } = provenance;
  return { conversion: { from: 'USD', to: currency, rate, day, source: sourceOf(provenance), quality } };
}

/** Null: the service does not know it. */
export type Cell = string | number | boolean | null;
/** All of one result have the same fields in the same order. */
export type FlatRecord = Readonly<Record<string, Cell>>;

export interface Records {
  readonly columns: readonly string[];
  readonly records: readonly FlatRecord[];
}

/** A result as a table for programs: a record for each coin, candle or match, its amounts in the currency that it names. */
export function recordsOf(result: DataResult): Records {
  if (result.kind === 'search') return table(result.data.results.map(matchRecord), matchColumns);
  const { conversion } = result;
  if (result.kind === 'price') return table(result.prices.map((priced) => priceRecord(priced, conversion)));
  const all = [result, ...result.compared];
  return table(
    all.flatMap((candles) => candleRecords(candles, conversion)),
    candleColumns,
  );
}

function table(records: readonly FlatRecord[], columns = Object.keys(records[0] ?? {})): Records {
  return { columns, records };
}

export function priceRecord(
  { data, provenance }: KnownTicker,
  conversion: Conversion | undefined,
): FlatRecord {
  const { price, market_cap, volume_24h, percent_change_1h, percent_change_24h, percent_change_7d } =
    data.quotes.USD;
  return {
    symbol: data.symbol,
    name: data.name,
    id: data.id,
    rank: data.rank,
    currency: conversion?.currency ?? DOLLAR,
    price: converted(price, conversion),
    percent_change_1h,
    percent_change_24h,
    percent_change_7d,
    market_cap: converted(market_cap, conversion),
    volume_24h: converted(volume_24h, conversion),
    data_time: dataTimeOf(provenance),
    source: sourceOf(provenance),
    quality: provenance.quality,
    outdated_seconds: outdatedSecondsOf(provenance) ?? null,
  };
}

const candleColumns = [
  'symbol',
  'id',
  'interval',
  'currency',
  'time_open',
  'time_close',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'market_cap',
  'data_time',
  'source',
  'quality',
  'outdated_seconds',
];

function candleRecords(
  { coin, data, provenance }: CoinCandles,
  conversion: Conversion | undefined,
): FlatRecord[] {
  const { interval, quote } = data;
  const told = quote === 'usd' ? conversion : undefined;
  return data.data.map((candle) => ({
    symbol: coin.symbol,
    id: coin.id,
    interval,
    currency: told?.currency ?? quote.toUpperCase(),
    time_open: candle.time_open,
    time_close: candle.time_close,
    open: converted(candle.open, told),
    high: converted(candle.high, told),
    low: converted(candle.low, told),
    close: converted(candle.close, told),
    volume: converted(candle.volume, told),
    market_cap: converted(candle.market_cap, told),
    data_time: dataTimeOf(provenance),
    source: sourceOf(provenance),
    quality: provenance.quality,
    outdated_seconds: outdatedSecondsOf(provenance) ?? null,
  }));
}

const matchColumns = ['symbol', 'name', 'id', 'rank', 'type', 'is_active', 'is_new'];

type Match = SearchResult['data']['results'][number];

function matchRecord({ symbol, name, id, rank, type, is_active, is_new }: Match): FlatRecord {
  return { symbol, name, id, rank, type, is_active, is_new };
}

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@]/;

/**
 * Comma-separated values with a header, quoted as RFC 4180 has it; lines end with a line feed alone, as a shell's tools
 * expect them. Numbers have a point and no separators of thousands, and what is not known is empty. A text has no control
 * characters, and an apostrophe in front of it if a spreadsheet would calculate it.
 */
export function csvText({ columns, records }: Records): string {
  const rows = records.map((record) => columns.map((column) => record[column] ?? null));
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = clean(cell);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
