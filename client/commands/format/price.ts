import type { MarketdataTickerData } from '../../sdk/index.ts';
import { coinHeading, coinNotes, coinTitle } from '../coins.ts';
import { type Conversion, converted } from '../currency.ts';
import { quoted } from '../parse/words.ts';
import { isOlder, type Provenance } from '../provenance.ts';
import type { Priced, PriceResult } from '../result.ts';
import { sourceLine } from '../sources.ts';
import { formatAmount, formatPercent, formatPrice, toneOf } from './numbers.ts';
import { type Column, tableLines } from './table.ts';
import { clean, type Line, type Span, span } from './text.ts';

/** The report of each price. */
export function priceLines(result: PriceResult, now: number): Line[] {
  return result.prices.flatMap((priced) => {
    const { heading, notes, price, change, marketCap, volume, source } = priceReport(priced, result, now);
    return [heading, ...notes, price, change, marketCap, volume, source];
  });
}

/** Name, remarks, price, change, market cap with rank, volume and source, one per line. */
export function priceReport({ coin, data, provenance }: Priced, { conversion }: PriceResult, now: number) {
  const { price, percent_change_24h: change, market_cap: marketCap, volume_24h: volume } = data.quotes.USD;
  const currency = conversion?.currency;
  const shown = (usd: number | null) => converted(usd, conversion);
  const rank = data.rank !== null && data.rank > 0 ? `rank #${data.rank}` : 'unranked';
  return {
    heading: coinHeading(coinTitle(data), coin),
    notes: coinNotes(coin),
    price: priceRow('Price', span(formatPrice(shown(price), currency), 'strong')),
    change: priceRow('24h change', changeSpan(change)),
    marketCap: priceRow('Market cap', span(`${formatAmount(shown(marketCap), currency)} (${rank})`)),
    volume: priceRow('24h volume', span(formatAmount(shown(volume), currency))),
    source: priceRow('Source', ...sourceLine(provenance, { conversion, now }), ...changesNote(conversion)),
  };
}

/** Only a price is converted: its changes are the ticker's. */
function changesNote(conversion: Conversion | undefined): Span[] {
  return conversion ? [span('; changes are those in USD')] : [];
}

export function changeSpan(percent: number | null): Span {
  return span(formatPercent(percent), toneOf(percent));
}

export const PRICE_LABEL_WIDTH = 13;

export function priceRow(label: string, ...value: Span[]): Line {
  return [span(`${label}:`.padEnd(PRICE_LABEL_WIDTH), 'muted'), ...value];
}

/** Several prices as a table of at most `width` cells, with their sources and remarks, and the coins without a price. */
export function pricesLines(result: PriceResult, width: number, now: number): Line[] {
  const { prices, missing } = result;
  const notes = prices.flatMap(({ coin, data }) => [
    ...(coin.isActive ? [] : [[span(`${clean(data.symbol)} is no longer active.`, 'muted')]]),
    ...coinNotes({ ...coin, isActive: true }),
  ]);
  return [
    ...tableLines(Object.values(coinColumns(result.conversion)), prices, width),
    ...sourceLines(result, now),
    ...notes,
    ...missing.flatMap(({ lines }) => [[], ...lines]),
  ];
}

type Usd = MarketdataTickerData['quotes']['USD'];

/** The fields of a coin that the columns show. */
export interface TableCoin {
  readonly data: Pick<MarketdataTickerData, 'id' | 'name' | 'symbol' | 'rank'> & {
    readonly quotes: {
      readonly USD: Pick<
        Usd,
        'price' | 'market_cap' | 'volume_24h' | `percent_change_${'1h' | '24h' | '7d'}`
      >;
    };
  };
}

/** The columns of every table of coins, in order. */
export function coinColumns(conversion: Conversion | undefined) {
  const shown = (usd: number | null) => converted(usd, conversion);
  const amount = (usd: number | null) => [span(formatAmount(shown(usd), conversion?.currency))];
  const price = (usd: number | null) => [span(formatPrice(shown(usd), conversion?.currency), 'strong')];
  const number = (
    title: string,
    cell: (usd: TableCoin['data']['quotes']['USD']) => Line,
    order?: number,
  ): Column<TableCoin> => ({ title, side: 'right', cell: ({ data }) => cell(data.quotes.USD), order });
  const symbol: Column<TableCoin> = {
    title: 'Symbol',
    cell: ({ data }) => [{ text: clean(data.symbol), tone: 'strong', command: `cchart ${quoted(data.id)}` }],
  };
  const name: Column<TableCoin> = {
    title: 'Name',
    cell: ({ data }) => [span(clean(data.name))],
    from: 8,
    order: 2,
  };
  return {
    symbol,
    name,
    price: number('Price', (usd) => price(usd.price)),
    change1h: number('1h', (usd) => [changeSpan(usd.percent_change_1h)], 3),
    change24h: number('24h', (usd) => [changeSpan(usd.percent_change_24h)]),
    change7d: number('7d', (usd) => [changeSpan(usd.percent_change_7d)], 1),
    marketCap: number('Market cap', (usd) => amount(usd.market_cap), 4),
    volume: number('24h volume', (usd) => amount(usd.volume_24h), 5),
  };
}

/** A line for all prices of the same sources and quality, with the oldest time; it names their coins unless it covers all. */
function sourceLines({ prices, conversion }: PriceResult, now: number): Line[] {
  const groups = new Map<string, { readonly symbols: string[]; provenance: Provenance }>();
  for (const { data, provenance } of prices) {
    const { sources, isSimulated, quality, outdatedMs } = provenance;
    const kind = JSON.stringify([sources, isSimulated, quality, outdatedMs !== undefined]);
    const group = groups.get(kind) ?? { symbols: [], provenance };
    group.symbols.push(clean(data.symbol));
    if (isOlder(provenance, group.provenance)) group.provenance = provenance;
    groups.set(kind, group);
  }
  return [...groups.values()].map(({ symbols, provenance }) => [
    span(groups.size > 1 ? `Source of ${symbols.join(', ')}: ` : 'Source: ', 'muted'),
    ...sourceLine(provenance, { conversion, now }),
    ...changesNote(conversion),
  ]);
}
