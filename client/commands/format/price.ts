import { converted } from '../currency/conversion.ts';

import type { Priced, PriceResult } from '../result.ts';
import { coinHeading, coinNotes, coinTitle } from './coin.ts';
import { formatAmount, formatPercent, formatPrice } from './numbers.ts';
import { sourceLine } from './source.ts';
import { type Line, type Span, span, type Tone } from './text.ts';

/** The report of a price. */
export function priceLines(result: PriceResult, now: number): Line[] {
  return result.prices.flatMap((priced) => reportOf(priced, result, now));
}

/** Name, price, change, market cap with rank, volume, source. */
function reportOf({ coin, data, provenance }: Priced, { conversion }: PriceResult, now: number): Line[] {
  const { price, percent_change_24h: change, market_cap: marketCap, volume_24h: volume } = data.quotes.USD;
  const currency = conversion?.currency;
  const told = (usd: number | null) => converted(usd, conversion);
  const rank = data.rank !== null && data.rank > 0 ? `rank #${data.rank}` : 'unranked';
  return [
    coinHeading(coinTitle(data), coin),
    ...coinNotes(coin),
    row('Price', span(formatPrice(told(price), currency), 'strong')),
    row('24h change', span(formatPercent(change), toneOf(change))),
    row('Market cap', span(`${formatAmount(told(marketCap), currency)} (${rank})`)),
    row('24h volume', span(formatAmount(told(volume), currency))),
    row('Source', ...sourceLine(provenance, { conversion, now })),
  ];
}

/** The tone of a change; a change of zero has none. */
export function toneOf(change: number | null): Tone | undefined {
  if (change === null || Number(change.toFixed(2)) === 0) return undefined;
  return change > 0 ? 'up' : 'down';
}

function row(label: string, ...value: Span[]): Line {
  return [span(`${label}:`.padEnd(13), 'muted'), ...value];
}
