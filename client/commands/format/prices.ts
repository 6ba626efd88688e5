import type { Provenance } from '../provenance.ts';

import type { PriceResult } from '../result.ts';
import { coinNotes } from './coin.ts';
import { priceTable } from './price-table.ts';
import { sourceLine } from './source.ts';
import { clean, type Line, span } from './text.ts';

/** Several prices as a table of at most `width` cells, with their sources and remarks; then why there are no others. */
export function pricesLines(result: PriceResult, width: number, now: number): Line[] {
  const { prices, missing } = result;
  const notes = prices.flatMap(({ coin, data }) => [
    ...(coin.isActive ? [] : [[span(`${clean(data.symbol)} is no longer active.`, 'muted')]]),
    ...coinNotes({ ...coin, isActive: true }),
  ]);
  return [
    ...priceTable(result, width),
    ...sourceLines(result, now),
    ...notes,
    ...missing.flatMap(({ lines }) => [[], ...lines]),
  ];
}

interface Group {
  readonly symbols: string[];
  /** Of the oldest price. */
  provenance: Provenance;
}

/** A line for all prices of the same sources and quality, with their coins unless it is of all. */
function sourceLines({ prices, conversion }: PriceResult, now: number): Line[] {
  const groups = new Map<string, Group>();
  for (const { data, provenance } of prices) {
    const kind = kindOf(provenance);
    const group = groups.get(kind) ?? { symbols: [], provenance };
    group.symbols.push(clean(data.symbol));
    if (isOlder(provenance, group.provenance)) group.provenance = provenance;
    groups.set(kind, group);
  }
  return [...groups.values()].map(({ symbols, provenance }) => [
    span(groups.size > 1 ? `Source of ${symbols.join(', ')}: ` : 'Source: ', 'muted'),
    ...sourceLine(provenance, { conversion, now }),
  ]);
}

/** What is told of an answer, its time apart. */
function kindOf({ sources, isSimulated, quality, outdatedMs }: Provenance): string {
  return JSON.stringify([sources, isSimulated, quality, outdatedMs !== undefined]);
}

function isOlder({ madeAt }: Provenance, other: Provenance): boolean {
  return madeAt !== undefined && other.madeAt !== undefined && madeAt < other.madeAt;
}
