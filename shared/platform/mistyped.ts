/** Suggestions for mistyped words, and the message for a wrong command line. */

const MOST = 3;
/** A text of fewer letters is like too many others. */
const FEWEST_LETTERS = 3;

/**
 * The likely candidates for a mistyped word: at most three, with the fewest errors, and with at most one error in three
 * letters, or with the word as their beginning. Case does not matter.
 */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const typed = word.toLowerCase();
  if (typed.length < FEWEST_LETTERS) return [];
  const most = Math.floor(typed.length / 3);
  const rated = [...new Set(candidates)]
    .map((candidate) => ({ candidate, errors: errorsIn(typed, candidate.toLowerCase()) }))
    .filter(({ errors }) => errors <= most);
  const least = Math.min(...rated.map(({ errors }) => errors));
  return rated
    .filter(({ errors }) => errors === least)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** An abbreviation has one error, whatever is missing. */
function errorsIn(typed: string, candidate: string): number {
  const errors = distance(typed, candidate);
  return candidate.startsWith(typed) ? Math.min(1, errors) : errors;
}

/** Letters that are missing, too many, wrong, or swapped with their neighbour (optimal string alignment). */
function distance(one: string, other: string): number {
  let twoUp: number[] = [];
  let up = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line += 1) {
    const row = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[line - 1] === other[column - 1];
      const swapped = one[line - 2] === other[column - 1] && one[line - 1] === other[column - 2];
      const errors = Math.min(
        at(up, column) + 1,
        at(row, column - 1) + 1,
        at(up, column - 1) + (same ? 0 : 1),
        line > 1 && column > 1 && swapped ? at(twoUp, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      row.push(errors);
    }
    [twoUp, up] = [up, row];
  }
  return at(up, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/**
 * The output for a command line that a command does not understand: the error and where its help is. `usage` is that help,
 * and begins with `Usage: npm run <command>`.
 */
export function wrongUsage(error: unknown, usage: string): string {
  const [, command = ''] = /^Usage: (npm (?:run )?\w+)/.exec(usage) ?? [];
  return `${error instanceof Error ? error.message : error}\nSee ${command} -- --help`;
}
