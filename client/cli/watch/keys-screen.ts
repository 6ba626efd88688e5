import { type Line, shortened, span } from '../../commands/format/text.ts';
import { keyTable } from './keys.ts';
import type { ScreenSize } from './mode.ts';

export function keysScreen({ columns, rows }: ScreenSize): Line[] {
  const told: Line[] = [
    [span('Keys', 'strong')],
    ...keyTable.map(([key, meaning]): Line => [span(`  ${key.padEnd(10)}`, 'strong'), span(meaning)]),
    [],
    [span(shortened('Holdings: marketdata hold BTC 0.5 @ 60000', columns), 'muted')],
  ];
  return told.slice(0, rows);
}
