import type { MarketdataSearchData } from '../../sdk/index.ts';
import { quoted } from '../parse/words.ts';
import type { SearchResult } from '../result.ts';
import { clean, commandSpan, displayWidth, fitted, type Line, span } from './text.ts';

type SearchEntry = MarketdataSearchData['results'][number];

const MIN_NAME = 8;
const GAP = '  ';
const simulatedNote: Line = [span('Simulated list: most of these coins do not exist.', 'muted')];

/**
 * A numbered list of symbol, name, rank and kind that fits `width` cells, with ids if there is room; then the
 * next step.
 */
export function searchLines({ data, provenance }: SearchResult, width: number): Line[] {
  const { query, results } = data;
  if (results.length === 0) {
    return [[span(`No coin matches "${clean(query)}".`)], [span('Try fewer or other words.', 'muted')]];
  }
  const rows = results.map(rowOf);
  const numberWidth = String(rows.length).length + 1;
  const symbolWidth = Math.min(12, widest(rows, 'symbol'));
  const rankWidth = widest(rows, 'rank');
  const kindWidth = widest(rows, 'kind');
  const idWidth = widest(rows, 'id');
  const used = numberWidth + 1 + symbolWidth + rankWidth + kindWidth + 3 * GAP.length;
  const longestName = widest(rows, 'name');
  const hasRoomForId = used + longestName + GAP.length + idWidth <= width;
  const nameWidth = Math.max(MIN_NAME, Math.min(longestName, width - used));

  const first = results.find(({ is_active, rank }) => is_active && rank > 0) ?? results[0];
  return [
    [span(`Coins like "${clean(query)}"`, 'strong')],
    ...(provenance.isSimulated ? [simulatedNote] : []),
    ...rows.map(({ symbol, name, rank, kind, id }, index): Line => {
      const number = `${index + 1}.`.padStart(numberWidth);
      const shown = fitted(symbol, symbolWidth).trimEnd();
      return [
        span(`${number} `, 'muted'),
        { text: shown, tone: 'strong', command: `cprice ${quoted(id)}` },
        span(
          `${fitted(symbol, symbolWidth).slice(shown.length)}${GAP}${fitted(name, nameWidth)}${GAP}${rank.padEnd(rankWidth)}${GAP}`,
        ),
        span(hasRoomForId ? `${kind.padEnd(kindWidth)}${GAP}${id}` : kind, 'muted'),
      ];
    }),
    [
      span('For a price: cprice <symbol>, such as '),
      commandSpan(`cprice ${quoted(clean(first?.symbol ?? ''))}`),
    ],
  ];
}

function rowOf({ symbol, name, rank, type, is_active, id }: SearchEntry) {
  return {
    symbol: clean(symbol),
    name: clean(name),
    rank: rank > 0 ? `#${rank}` : 'Unranked',
    kind: is_active ? type : `${type}, inactive`,
    id: clean(id),
  };
}

function widest(rows: readonly ReturnType<typeof rowOf>[], column: keyof ReturnType<typeof rowOf>): number {
  return Math.max(...rows.map((row) => displayWidth(row[column])));
}
