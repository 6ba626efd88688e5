import type { Api } from './api.ts';
import { clean } from './format/text.ts';
import { commandNamed, commandNames, commandTable } from './parse/table.ts';
import { quoted } from './parse/words.ts';

/** Candidates for the last word of a line. */
export interface Completion {
  /** The word that the candidates complete, as typed. */
  readonly word: string;
  readonly candidates: readonly string[];
}

const MAX_SYMBOLS = 20;

/**
 * Completes the last word of a line: a command, an option, a value of an option, or a coin's symbol, which the
 * service is asked for. `extra` are commands of the front end alone. Never throws.
 */
export async function complete(line: string, api: Api, extra: readonly string[] = []): Promise<Completion> {
  const words = line.trimStart().split(/\s+/);
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const all = await candidatesFor(before, word, api, extra);
  const candidates = all.filter((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()));
  return { word, candidates: [...new Set(candidates)] };
}

async function candidatesFor(
  [first, ...before]: readonly string[],
  word: string,
  api: Api,
  extra: readonly string[],
): Promise<readonly string[]> {
  if (first === undefined) return commandCandidates(word, extra);
  const name = commandNamed(first);
  if (name === 'help') return commandNames.map((command) => commandTable[command].short ?? command);
  if (!name) return [];
  const { options } = commandTable[name];
  const option = before.at(-1)?.replace(/^--/, '') ?? '';
  if (before.at(-1)?.startsWith('--') && Object.hasOwn(options, option) && options[option]?.placeholder) {
    return options[option].values ?? [];
  }
  if (word.startsWith('-')) {
    return Object.keys(options)
      .map((key) => `--${key}`)
      .filter((key) => !before.includes(key));
  }
  return name === 'search' ? [] : await symbolsLike(word, api);
}

/** The short commands come first: `price` is offered only after a typed p. */
function commandCandidates(word: string, extra: readonly string[]): string[] {
  const short = commandNames.map((name) => commandTable[name].short ?? name);
  return word === '' ? [...short, ...extra] : [...short, ...commandNames, ...extra];
}

async function symbolsLike(word: string, api: Api): Promise<string[]> {
  if (word === '') return [];
  try {
    const { data } = await api.search({ q: word, limit: MAX_SYMBOLS });
    return data.results
      .filter(({ is_active, rank }) => is_active && rank > 0)
      .map(({ symbol }) => quoted(clean(symbol)));
  } catch {
    return []; // no completion is better than an error in the middle of typing
  }
}

/** The longest common beginning of all candidates, ignoring case; never shorter than the typed word. */
export function commonStart({ word, candidates }: Completion): string {
  const [first = word, ...rest] = candidates;
  let length = first.length;
  for (const candidate of rest) {
    while (!candidate.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length -= 1;
  }
  return length < word.length ? word : first.slice(0, length);
}
