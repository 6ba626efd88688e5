import { nearest } from '../../../shared/platform/mistyped.ts';

export interface OptionSpec {
  /** Stands for the value in the usage; undefined for an option without one. */
  readonly placeholder?: string;
  readonly summary: string;
  /** True if the value may be left out; the word behind it is the value only if it is accepted. */
  readonly isOptional?: boolean;
  /** Completes "allowed: …"; undefined if the service judges the value. */
  readonly allowed?: string;
  readonly accepts?: (value: string) => boolean;
  readonly values?: readonly string[];
}

/** Options by their names without the hyphens. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** By name; `''` for an option without a value. */
export type OptionValues = ReadonlyMap<string, string>;

/** `--url <url>`, with its value in brackets if that may be left out. */
export function optionText(name: string, { placeholder, isOptional }: OptionSpec): string {
  if (isOptional) return `--${name} [${placeholder}]`;
  return placeholder === undefined ? `--${name}` : `--${name} <${placeholder}>`;
}

export function oneOf(values: readonly string[], summary: string): OptionSpec {
  return {
    placeholder: values.length > 3 ? 'value' : values.join('|'),
    summary,
    allowed: values.join(', '),
    accepts: (value) => values.includes(value),
    values,
  };
}

export function integer(from: number, to: number, summary: string): OptionSpec {
  return {
    placeholder: 'number',
    summary,
    allowed: `a whole number from ${from} to ${to}`,
    accepts: (value) => /^\d{1,9}$/.test(value) && Number(value) >= from && Number(value) <= to,
  };
}

/** Whether a word is an option. A number with a sign, such as `-0.5`, is none. */
export function isOption(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

/**
 * Reads one option, `word`, and takes its value from `rest` unless it stands in the word itself: `--name value` and
 * `--name=value` are alike. `isBehindWords` is true if the command has words already, so that the next one is more
 * likely a wrong value than its first. Returns what is wrong, or undefined after it has set the value.
 */
export function readOption(
  word: string,
  rest: string[],
  table: OptionTable,
  values: Map<string, string>,
  isBehindWords: boolean,
): string | undefined {
  const [, name = '', given] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const spec = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!spec) return unknownOption(word, table);
  if (values.has(name)) return `Option --${name} is given twice`;
  values.set(name, '');
  if (spec.placeholder === undefined)
    return given === undefined ? undefined : `Option --${name} takes no value`;
  const next = rest[0];
  if (spec.isOptional && given === undefined) {
    const isMeant = isBehindWords || /^[-+\d]/.test(next ?? '');
    if (next === undefined || isOption(next) || !(isMeant || spec.accepts?.(next))) return undefined;
  }
  const value = given ?? (next?.startsWith('--') ? undefined : rest.shift()) ?? '';
  values.set(name, value);
  return valueProblem(name, value, spec);
}

/** What is wrong with the value of an option, and what is right; undefined if nothing is. */
function valueProblem(
  name: string,
  value: string,
  { accepts, allowed, values = [] }: OptionSpec,
): string | undefined {
  const wanted = allowed === undefined ? '' : `; allowed: ${allowed}`;
  if (value === '') return `Option --${name} needs a value${wanted}`;
  if (!accepts || accepts(value)) return undefined;
  return `Unknown value "${value}" of --${name}${meantText(nearest(value, values)) || wanted}`;
}

function unknownOption(word: string, table: OptionTable): string {
  const names = Object.keys(table);
  const [name = ''] = word.replace(/^-+/, '').split('=');
  const meant = nearest(name, names).map((option) => `--${option}`);
  const known = names.map((option) => `--${option}`).join(', ');
  return `Unknown option ${word}${meantText(meant) || (known && `; known: ${known}`)}`;
}

/** `; did you mean this or that?`, or nothing. */
function meantText(meant: readonly string[]): string {
  return meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : '';
}
