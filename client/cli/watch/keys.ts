/** A pressed key: a character, or one of these names. */
export type KeyName = 'up' | 'down' | 'left' | 'right' | 'enter' | 'escape' | 'backspace' | (string & {});

/** The keys of the list, with what they do. */
export const keyTable = [
  ['↑ ↓, j k', 'another row'],
  ['/', 'add a coin'],
  ['d, x', 'remove the row'],
  ['u', 'undo a removal'],
  ['Enter', 'chart; ← → its time'],
  ['s', 'another order'],
  ['r', 'ask again after a failure'],
  ['Esc', 'back'],
  ['q, Ctrl-C', 'leave'],
] as const;
