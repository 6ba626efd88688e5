import { converted } from '../currency/conversion.ts';

import type { Priced, PriceResult } from '../result.ts';
import { coinHeading, coinNotes, coinTitle } from './coin.ts';
import { formatAmount, formatPercent, formatPrice } from './numbers.ts';
import { sourceLine } from './source.ts';
import { type Line, type Span, span, type Tone } from './text.ts';

/** The report of each price. */
export function priceLines(result: PriceResult, now: number): Line[] {
  return result.prices.flatMap((priced) => {
    const { heading, notes, price, change, marketCap, volume, source } = priceReport(priced, result, now);
    return [heading, ...notes, price, change, marketCap, volume, source];
  });
}

/** Name, remarks, price, change, market cap with rank, volume and source, each a line. */
export function priceReport({ coin, data, provenance }: Priced, { conversion }: PriceResult, now: number) {
  const { price, percent_change_24h: change, market_cap: marketCap, volume_24h: volume } = data.quotes.USD;
  const currency = conversion?.currency;
  const shown = (usd: number | null) => converted(usd, conversion);
  const rank = data.rank !== null && data.rank > 0 ? `rank #${data.rank}` : 'unranked';
  return {
    heading: coinHeading(coinTitle(data), coin),
    notes: coinNotes(coin),
    price: priceRow('Price', span(formatPrice(shown(price), currency), 'strong')),
    change: priceRow('24h change', span(formatPercent(change), toneOf(change))),
    marketCap: priceRow('Market cap', span(`${formatAmount(shown(marketCap), currency)} (${rank})`)),
    volume: priceRow('24h volume', span(formatAmount(shown(volume), currency))),
    source: priceRow('Source', ...sourceLine(provenance, { conversion, now })),
  };
}

/** The tone of a change; a change of zero has none. */
export function toneOf(change: number | null): Tone | undefined {
  if (change === null || Number(change.toFixed(2)) === 0) return undefined;
  return change > 0 ? 'up' : 'down';
}

export const PRICE_LABEL_WIDTH = 13;

export function priceRow(label: string, ...value: Span[]): Line {
  return [span(`${label}:`.padEnd(PRICE_LABEL_WIDTH), 'muted'), ...value];
}
