import { cleanText } from '../platform/clean-text.ts';
import { isSuddenDrop } from '../platform/is-sudden-drop.ts';
import { readRows } from '../platform/json-fields.ts';
import { messageOf } from '../platform/message-of.ts';

/** One coin or token, spelled as by the provider, without characters that do not occur in names. */
export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** Market cap rank from 1; 0 if the provider reports none. */
  readonly rank: number;
  readonly is_new: boolean;
  readonly is_active: boolean;
  readonly type: 'coin' | 'token';
}

/** Filters a list. A field that is left out or `false` has no effect. */
export interface EntryFilter {
  readonly activeOnly?: boolean | undefined;
  /** True: only entries with rank > 0. */
  readonly ranked?: boolean | undefined;
  readonly type?: 'coin' | 'token' | undefined;
}

/** The filter of a page; a symbol selects only the entries with it (trimmed, in any case). */
export interface PageFilter extends EntryFilter {
  readonly symbol?: string | undefined;
}

export interface RegistryPage {
  /** Number of matching entries on all pages. */
  readonly total: number;
  readonly entries: readonly RegistryEntry[];
  /** Position for the next page, `null` after the last one. */
  readonly next: number | null;
}

/** Ten times the longest text of the provider; the index has 16 bits for a text's UTF-8 bytes. */
const MAX_TEXT_LENGTH = 1000;
const MAX_RANK = 2 ** 32 - 1;

const text = {
  isRight: (value: unknown) => typeof value === 'string' && value.length <= MAX_TEXT_LENGTH,
  expected: `a text of at most ${MAX_TEXT_LENGTH} characters`,
};
const boolean = { isRight: (value: unknown) => typeof value === 'boolean', expected: 'true or false' };

const fields = {
  id: {
    isRight: (value) =>
      typeof value === 'string' && text.isRight(value) && value !== '' && value.isWellFormed(),
    expected: `${text.expected}, not empty`,
  },
  name: text,
  symbol: text,
  rank: {
    isRight: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_RANK,
    expected: 'an integer from 0',
  },
  is_new: boolean,
  is_active: boolean,
  type: { isRight: (value) => value === 'coin' || value === 'token', expected: 'coin or token' },
} as const satisfies Record<keyof RegistryEntry, { isRight: (value: unknown) => boolean; expected: string }>;

/** Wrong entries that a text names. */
const NAMED = 3;

/**
 * Reads a coin list in the provider's format: cleans names and symbols, and drops other fields. Entries that are invalid or
 * repeat an earlier id are left out, counted, and passed to `report` as a sentence, with position (from 0) and field. Throws an
 * Error with that sentence if they are more than a fifth, and for what is no list.
 */
export function parseEntries(list: unknown, report?: (text: string) => void): RegistryEntry[] {
  if (!Array.isArray(list)) throw new Error(`The coin list must be an array, but is ${describe(list)}`);
  const positions = new Map<string, number>();
  const reasons: string[] = [];
  const entries = readRows(
    [...list.entries()],
    ([position, item]) => {
      const entry = parseEntry(item, position);
      const before = positions.get(entry.id);
      if (before !== undefined) {
        const id = JSON.stringify(entry.id);
        throw new Error(`Entry ${position}: id ${id} is the id of entry ${before} already`);
      }
      positions.set(entry.id, position);
      return [entry];
    },
    (error) => reasons.push(messageOf(error)),
  );
  if (reasons.length === 0) return entries;
  const which = `${reasons.length} of ${list.length} entries of the coin list`;
  const more = reasons.length > NAMED ? [`and ${reasons.length - NAMED} others`] : [];
  const why = [...reasons.slice(0, NAMED), ...more].join('; ');
  if (isSuddenDrop(entries.length, list.length)) throw new Error(`${which} cannot be read: ${why}`);
  report?.(`${which} ${reasons.length === 1 ? 'was' : 'were'} left out: ${why}`);
  return entries;
}

function parseEntry(item: unknown, position: number): RegistryEntry {
  if (typeof item !== 'object' || item === null) {
    throw new Error(`Entry ${position}: must be an object, but is ${describe(item)}`);
  }
  const record = item as Record<string, unknown>;
  for (const [name, { isRight, expected }] of Object.entries(fields)) {
    if (isRight(record[name])) continue;
    const given = record[name] === undefined ? 'is missing' : `is ${describe(record[name])}`;
    throw new Error(`Entry ${position} (${describe(record.id)}): ${name} ${given}; it must be ${expected}`);
  }
  const { id, name, symbol, rank, is_new, is_active, type } = record as unknown as RegistryEntry; // checked above
  return { id, name: cleanText(name), symbol: cleanText(symbol), rank, is_new, is_active, type };
}

function describe(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}
