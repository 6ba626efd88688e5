import { quoted } from '../parse/words.ts';
import type { Coin } from '../providers.ts';
import { clean, commandSpan, type Line, span } from './text.ts';

/** `Bitcoin (BTC)`. */
export function coinTitle({ name, symbol }: Pick<Coin, 'name' | 'symbol'>): string {
  return `${clean(name)} (${clean(symbol)})`;
}

/** Remarks on the coin that was taken: others share its symbol, or it is no longer active. */
export function coinNotes({ id, symbol, alternatives, isActive }: Coin): Line[] {
  const notes: Line[] = [];
  if (!isActive) notes.push([span('This coin is no longer active.', 'muted')]);
  if (alternatives > 0) {
    const others = alternatives === 1 ? '1 other active coin has' : `${alternatives} other active coins have`;
    notes.push([
      span(`${clean(symbol)} is taken as ${clean(id)}; ${others} the same symbol: `, 'muted'),
      commandSpan(`coinsearch ${quoted(clean(symbol))}`),
    ]);
  }
  return notes;
}
