import { type Line, span } from '../../commands/format/text.ts';
import type { ScreenSize } from './screen.ts';

const keys = [
  ['↑ ↓, j k', 'another row'],
  ['/', 'add a coin: type, ↑ ↓ choose, Enter adds'],
  ['d, x', 'remove the row'],
  ['u', 'undo a removal'],
  ['Enter', 'the chart of the row; ← → other times'],
  ['s', 'another order'],
  ['r', 'ask for newer prices now'],
  ['Esc', 'back'],
  ['q, Ctrl-C', 'leave'],
] as const;

export function keysScreen({ rows }: ScreenSize): Line[] {
  const told: Line[] = [
    [span('Keys', 'strong')],
    ...keys.map(([key, meaning]): Line => [span(`  ${key.padEnd(10)}`, 'strong'), span(meaning)]),
    [],
    [span('Holdings: marketdata hold BTC 0.5 @ 60000', 'muted')],
  ];
  return told.slice(0, rows);
}
