import { type Conversion, converted, DOLLAR } from './currency/conversion.ts';
import { type DataResult, dataTimeOf, outdatedSecondsOf, sourceOf } from './json.ts';
import type { CoinCandles, SearchResult } from './result.ts';
import type { KnownTicker } from './tickers.ts';

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
