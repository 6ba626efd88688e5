import type { Line } from '../../commands/format/text.ts';
import { chartScreen } from './chart-screen.ts';
import { headerLines } from './header.ts';
import { keysScreen } from './keys-screen.ts';
import { listScreen } from './list-screen.ts';
import type { ScreenContext, ScreenSize, WatchView } from './mode.ts';
import { searchScreen } from './search-screen.ts';

/** A frame: the header, and below it what the mode shows, in at most as many lines as the window has. */
export function screenLines(view: WatchView, size: ScreenSize, context: ScreenContext): Line[] {
  const header = headerLines(view, size.columns, context);
  const room = { ...size, rows: size.rows - header.length };
  const body = bodyLines(view, room, context);
  return [...header, ...body].slice(0, size.rows);
}

function bodyLines(view: WatchView, size: ScreenSize, context: ScreenContext): Line[] {
  const { mode } = view;
  if (mode.kind === 'keys') return keysScreen(size);
  if (mode.kind === 'search') return searchScreen(mode, view.watchlist, size);
  if (mode.kind === 'chart') return chartScreen(mode, size, context.now);
  return listScreen(view, size, context);
}
