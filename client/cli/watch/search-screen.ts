import { clean, fitted, type Line, span } from '../../commands/format/text.ts';
import type { Match, ScreenSize, SearchMode } from './mode.ts';

const MARGIN = '  ';

/** What was typed, and the coins that are like it, best first, with their ranks. */
export function searchScreen(
  { query, matches, index, told }: SearchMode,
  watchlist: readonly string[],
  { columns, rows }: ScreenSize,
): Line[] {
  const room = Math.max(1, rows - 3);
  const start = Math.max(0, Math.min(index - Math.floor(room / 2), matches.length - room));
  return [
    [span('Add a coin: '), span(query, 'strong'), span('▏')],
    ...(told === '' ? [] : [[span(told, 'muted')]]),
    ...matches
      .slice(start, start + room)
      .map((match, at): Line => matchLine(match, at + start === index, watchlist, columns)),
    [],
    [span('Enter adds, Esc leaves', 'muted')],
  ];
}

function matchLine(
  { id, symbol, name, rank, is_active: isActive }: Match,
  isSelected: boolean,
  watchlist: readonly string[],
  columns: number,
): Line {
  const remarks = [...(isActive ? [] : ['inactive']), ...(watchlist.includes(id) ? ['on the list'] : [])];
  const rankText = rank > 0 ? `#${rank}` : 'unranked';
  const end = remarks.length > 0 ? `  ${remarks.join(', ')}` : '';
  const nameWidth = Math.max(4, Math.min(32, columns - MARGIN.length - 8 - 2 - 9 - end.length));
  return [
    span(isSelected ? '▸ ' : MARGIN, 'strong'),
    span(`${fitted(clean(symbol), 7)} `, 'strong'),
    span(`${fitted(clean(name), nameWidth)}  `),
    span(`${rankText.padEnd(8)}${end}`, 'muted'),
  ];
}
