import type { MarketdataTickerData } from '../../sdk/index.ts';
import { type Conversion, converted } from '../currency/conversion.ts';
import { quoted } from '../parse/words.ts';
import type { PriceResult } from '../result.ts';
import { formatAmount, formatPercent, formatPrice } from './numbers.ts';
import { toneOf } from './price.ts';
import { type Column, tableLines } from './table.ts';
import { clean, type Line, type Span, span } from './text.ts';

const MIN_NAME = 8;

type Usd = MarketdataTickerData['quotes']['USD'];
type Shown = 'price' | 'market_cap' | 'volume_24h' | `percent_change_${'1h' | '24h' | '7d'}`;

/** What the columns need of a coin. */
export interface TableCoin {
  readonly data: Pick<MarketdataTickerData, 'id' | 'name' | 'symbol' | 'rank'> & {
    readonly quotes: { readonly USD: Pick<Usd, Shown> };
  };
}

/** Several prices in columns, as many as fit `width` cells: symbol, price and the day's change always. */
export function priceTable({ prices, conversion }: PriceResult, width: number): Line[] {
  const priorities = [
    'symbol',
    'price',
    'change24h',
    'change7d',
    'name',
    'change1h',
    'marketCap',
    'volume',
  ] as const;
  return tableLines(prices, coinColumns(conversion), priorities, width);
}

/** The columns that every table of coins has, in the order in which they stand. */
export function coinColumns(conversion: Conversion | undefined) {
  const currency = conversion?.currency;
  const amount = (usd: number | null) => span(formatAmount(converted(usd, conversion), currency));
  const column = (heading: string, cellOf: (usd: TableCoin['data']['quotes']['USD']) => Span) =>
    ({ heading, side: 'right', cellOf: ({ data }: TableCoin) => cellOf(data.quotes.USD) }) as const;
  return {
    symbol: {
      heading: 'Symbol',
      side: 'left',
      isRequired: true,
      cellOf: ({ data }) => ({
        ...span(clean(data.symbol), 'strong'),
        command: `cchart ${quoted(data.id)}`,
      }),
    },
    name: { heading: 'Name', side: 'left', from: MIN_NAME, cellOf: ({ data }) => span(clean(data.name)) },
    price: {
      ...column('Price', ({ price }) => span(formatPrice(converted(price, conversion), currency), 'strong')),
      isRequired: true,
    },
    change1h: column('1h', ({ percent_change_1h }) => changeSpan(percent_change_1h)),
    change24h: {
      ...column('24h', ({ percent_change_24h }) => changeSpan(percent_change_24h)),
      isRequired: true,
    },
    change7d: column('7d', ({ percent_change_7d }) => changeSpan(percent_change_7d)),
    marketCap: column('Market cap', ({ market_cap }) => amount(market_cap)),
    volume: column('24h volume', ({ volume_24h }) => amount(volume_24h)),
  } satisfies Readonly<Record<string, Column<TableCoin>>>;
}

export function changeSpan(percent: number | null): Span {
  return span(formatPercent(percent), toneOf(percent));
}
