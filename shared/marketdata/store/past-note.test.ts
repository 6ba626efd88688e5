import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { mergedNotes, pastNote, readPastNote } from './past-note.ts';

it('a note that was made by a clock ahead of this one does not count', () => {
  const now = Date.UTC(2026, 10, 28, 9, 30);
  const through = Date.UTC(2026, 10, 28);
  const notes = mergedNotes();
  notes.exchanges.set('a', { through, at: now - HOUR_MS, failed: false });
  notes.exchanges.set('b', { through: through + 2 * DAY_MS, at: now + 48 * HOUR_MS, failed: false });

  const read = readPastNote(JSON.parse(JSON.stringify(pastNote(notes))), now);

  expect([...read.exchanges.keys()]).toEqual(['a']);
});
