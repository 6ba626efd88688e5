import { isTraded } from '../../commands/coins.ts';
import { clean, type Line, span } from '../../commands/format/text.ts';
import { fitted } from '../../commands/format/width.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { MarketdataSearchData } from '../../sdk/index.ts';
import type { Session } from '../session.ts';
import type { Screen, View } from './screen.ts';

export type Match = MarketdataSearchData['results'][number];

/** A search starts after this pause in typing. */
const TYPING_MS = 120;
const MAX_MATCHES = 20;
const MARGIN = '  ';

/** Searches while typing; calls `choose` with the match when Enter is pressed, or without one after Escape. */
export function searchView(
  { apiWith }: Session,
  screen: Screen,
  isListed: (id: string) => boolean,
  choose: (match?: Match) => void,
): View {
  let query = '';
  let matches: readonly Match[] = [];
  let index = 0;
  let words = 'Symbol, name or id';
  let running = new AbortController();

  function type(text: string): void {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    query = text;
    index = 0;
    words = query.trim() === '' ? 'Symbol, name or id' : '';
    if (words) matches = [];
    screen.draw();
    if (words) return;
    const timer = setTimeout(() => void find(signal), TYPING_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  async function find(signal: AbortSignal): Promise<void> {
    let found: readonly Match[] = [];
    let message = '';
    try {
      const { data } = await apiWith({ signal }).search({ q: query.trim(), limit: MAX_MATCHES });
      found = tradedFirst(data.results);
      if (found.length === 0) message = 'No coin matches';
    } catch (error) {
      message = messageOf(error);
    }
    if (signal.aborted) return;
    matches = found;
    words = message;
    screen.draw();
  }

  return {
    lines({ columns, rows }) {
      const room = Math.max(1, rows - 4);
      const start = Math.max(0, Math.min(index - Math.floor(room / 2), matches.length - room));
      return [
        [span('Add a coin: '), span(query, 'strong'), span('▏')],
        ...(words ? [[span(clean(words), 'muted')]] : []),
        ...matches
          .slice(start, start + room)
          .map((match, at) => matchLine(match, at + start === index, isListed(match.id), columns)),
        [],
        [span('Enter adds, Esc leaves', 'muted')],
      ];
    },
    press(key) {
      const match = matches[index];
      if (key === 'escape') choose();
      else if (key === 'return') match && choose(match);
      else if (key === 'backspace') type([...query].slice(0, -1).join(''));
      else if (key === 'up' || key === 'down')
        index = Math.max(0, Math.min(matches.length - 1, index + (key === 'up' ? -1 : 1)));
      else if ([...key].length === 1) type(query + key);
      screen.draw();
    },
    close: () => running.abort(),
  };
}

/** Unranked coins are rarely wanted while a ranked one matches as well: they come last, in their order. */
function tradedFirst(matches: readonly Match[]): Match[] {
  return [...matches.filter(isTraded), ...matches.filter((match) => !isTraded(match))];
}

function matchLine(match: Match, isSelected: boolean, isListed: boolean, columns: number): Line {
  const { symbol, name, rank, is_active: isActive } = match;
  const remarks = [...(isActive ? [] : ['inactive']), ...(isListed ? ['on the list'] : [])].join(', ');
  const rankText = rank > 0 ? `#${rank}` : 'unranked';
  const end = `${rankText.padEnd(8)}${remarks && `  ${remarks}`}`;
  return [
    span(isSelected ? '▸ ' : MARGIN, 'strong'),
    span(`${fitted(clean(symbol), 7)} `, 'strong'),
    span(`${fitted(clean(name), Math.max(4, Math.min(32, columns - 13 - end.length)))}  `),
    span(end, 'muted'),
  ];
}
