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
    .map((candidate) => ({ candidate, errors: errorsIn(typed, candidate.toLowerCase(), most) }))
    .filter(({ errors }) => errors <= most);
  const least = Math.min(...rated.map(({ errors }) => errors));
  return rated
    .filter(({ errors }) => errors === least)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** An abbreviation has one error, whatever is missing. */
function errorsIn(typed: string, candidate: string, limit: number): number {
  const errors = errorsBetween(codesOf(typed), codesOf(candidate), limit);
  return candidate.startsWith(typed) ? Math.min(1, errors) : errors;
}

const codesOf = (text: string) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

/**
 * Typing errors between two texts: letters that are missing, too many, wrong, or swapped with their neighbour (optimal string
 * alignment). Returns `limit + 1` when there are more than `limit`.
 */
export function errorsBetween(a: readonly number[], b: readonly number[], limit: number): number {
  let twoUp: number[] = [];
  let up = [0, ...b.map((_, column) => column + 1)];
  for (let line = 1; line <= a.length; line++) {
    const row = [line];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[line - 1] === b[column - 1];
      const isSwap = line > 1 && column > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1];
      row[column] = Math.min(
        (up[column - 1] ?? 0) + (isSame ? 0 : 1),
        (up[column] ?? 0) + 1,
        (row[column - 1] ?? 0) + 1,
        isSwap ? (twoUp[column - 2] ?? 0) + 1 : limit + 1,
      );
    }
    [twoUp, up] = [up, row];
  }
  return Math.min(up[b.length] ?? 0, limit + 1);
}

/**
 * The output for a command line that a command does not understand: the error and where its help is. `usage` is that help,
 * and begins with `Usage: npm run <command>` or `Usage: node <program>`.
 */
export function wrongUsage(error: unknown, usage: string): string {
  const [, npm, mode = '', node] =
    /^Usage: (?:(npm (?:run )?\w+)(?: --( --lambda))?|(node \S+))/.exec(usage) ?? [];
  return `${error instanceof Error ? error.message : error}\nSee ${npm ? `${npm} --${mode}` : node} --help`;
}
