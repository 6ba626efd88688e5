import { isTraded } from './coins.ts';
import { clean } from './format/text.ts';
import { commandIn } from './parse/parse.ts';
import { commandNames, type FrontEnd, plainFrontEnd, shortNames } from './parse/table.ts';
import { quoted } from './parse/words.ts';
import type { Api } from './provenance.ts';

/** Candidates for the last word of a line. */
interface Completion {
  /** The word that the candidates complete, as typed. */
  readonly word: string;
  readonly candidates: readonly string[];
}

const MAX_SYMBOLS = 20;

/**
 * Completes the last word of a line: a command, an option, an option's value, or a coin's symbol, which the service
 * looks up. `isPrompt` leaves out shell-only candidates. Never throws.
 */
export async function complete(
  line: string,
  api: Api,
  frontEnd: FrontEnd = plainFrontEnd,
  isPrompt = false,
): Promise<Completion> {
  const words = line.trimStart().split(/\s+/);
  const word = words.at(-1) ?? '';
  const all = await candidatesFor(words.slice(0, -1), word, api, frontEnd, isPrompt);
  const candidates = all.filter((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()));
  return { word, candidates: [...new Set(candidates)] };
}

async function candidatesFor(
  before: readonly string[],
  word: string,
  api: Api,
  frontEnd: FrontEnd,
  isPrompt: boolean,
): Promise<readonly string[]> {
  const { commands, options } = frontEnd;
  const own = Object.keys(commands).filter((name) => !(isPrompt && commands[name]?.isOfShell));
  const { name, spec } = commandIn(before, frontEnd) ?? {};
  const table = { ...spec?.options, ...options };
  const option = before.at(-1)?.startsWith('--') ? table[before.at(-1)?.slice(2) ?? ''] : undefined;
  if (option?.placeholder && !option.isOptional) return option.values ?? [];
  if (word.startsWith('-')) {
    const flags = [...Object.keys(table), 'help'].map((key) => `--${key}`);
    return flags.filter((flag) => !before.includes(flag));
  }
  if (name === 'help') return [...shortNames, ...own];
  if (spec?.values) return before.length > 1 ? [] : spec.values;
  if (spec) return spec.argument?.includes('<symbol') ? await symbolsLike(word, api) : [];
  if (before.some((each) => !each.startsWith('-'))) return [];
  // Short names come first: `price` is offered only after a typed p.
  return [...shortNames, ...(word === '' ? [] : commandNames), ...own];
}

async function symbolsLike(word: string, api: Api): Promise<string[]> {
  if (word === '') return [];
  try {
    const { data } = await api.search({ q: word, limit: MAX_SYMBOLS });
    return data.results.filter(isTraded).map(({ symbol }) => quoted(clean(symbol)));
  } catch {
    return []; // an error in the middle of typing would be worse than no completion
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
