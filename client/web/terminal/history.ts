import { type Stored, stored } from '../stored.ts';

const MAX_LINES = 100;

/** Lines typed before, walked through with the arrow keys. */
export interface History {
  add(line: string): void;
  /** The line before the current one; `typed` is kept for the way back. Undefined at the oldest. */
  older(typed: string): string | undefined;
  /** The line after the current one, at the end the text that was being typed; then undefined. */
  newer(): string | undefined;
}

export function storedHistory(storage: () => Storage): History {
  return createHistory(stored(storage, 'marketdata.history', linesOf));
}

export function createHistory(kept: Stored<readonly string[]>): History {
  let index: number | undefined;
  let draft = '';
  return {
    add(line) {
      const others = kept.read().filter((entry) => entry !== line);
      kept.write([...others, line].slice(-MAX_LINES));
      index = undefined;
    },
    older(typed) {
      const lines = kept.read();
      if (index === undefined) draft = typed;
      const next = (index ?? lines.length) - 1;
      if (next < 0) return undefined;
      index = next;
      return lines[next];
    },
    newer() {
      if (index === undefined) return undefined;
      const lines = kept.read();
      index += 1;
      if (index < lines.length) return lines[index];
      index = undefined;
      return draft;
    },
  };
}

function linesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}
