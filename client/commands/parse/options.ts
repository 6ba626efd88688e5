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

export interface ParsedOptions {
  readonly positional: readonly string[];
  /** By name; `''` for an option without a value. */
  readonly values: ReadonlyMap<string, string>;
}

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

/**
 * Separates options from the other words; `--name value` and `--name=value` are alike, and after `--` nothing is
 * an option. `others` are options that are read elsewhere, and may have been meant. Throws what `fail` makes of an
 * explanation.
 */
export function parseOptions(
  words: readonly string[],
  table: OptionTable,
  fail: (message: string) => Error,
  others: readonly string[] = [],
): ParsedOptions {
  const positional: string[] = [];
  const values = new Map<string, string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return { positional: [...positional, ...rest], values };
    if (!/^-./.test(word)) {
      positional.push(word);
      continue;
    }
    const [, name = '', given] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const spec = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!spec) throw fail(unknownOption(word, table, others));
    if (values.has(name)) throw fail(`Option --${name} is given twice`);
    values.set(name, optionValue(name, spec, given, rest, fail));
  }
  return { positional, values };
}

function optionValue(
  name: string,
  spec: OptionSpec,
  given: string | undefined,
  rest: string[],
  fail: (message: string) => Error,
): string {
  if (spec.placeholder === undefined) {
    if (given !== undefined) throw fail(`Option --${name} takes no value`);
    return '';
  }
  const value = given ?? (rest[0]?.startsWith('--') ? undefined : rest.shift()) ?? '';
  const problem = valueProblem(name, value, spec);
  if (problem !== undefined) throw fail(problem);
  return value;
}

/** What is wrong with the value of an option, and what is right; undefined if nothing is. */
export function valueProblem(
  name: string,
  value: string,
  { accepts, allowed, values = [] }: OptionSpec,
): string | undefined {
  const wanted = allowed === undefined ? '' : `; allowed: ${allowed}`;
  if (value === '') return `Option --${name} needs a value${wanted}`;
  if (!accepts || accepts(value)) return undefined;
  return `Unknown value "${value}" of --${name}${meantText(nearest(value, values)) || wanted}`;
}

function unknownOption(word: string, table: OptionTable, others: readonly string[]): string {
  const known = Object.keys(table).map((name) => `--${name}`);
  const [name = ''] = word.replace(/^-+/, '').split('=');
  const meant = nearest(name, [...Object.keys(table), ...others]).map((option) => `--${option}`);
  return `Unknown option ${word}${meantText(meant) || `; known: ${known.join(', ')}`}`;
}

/** `; did you mean this or that?`, or nothing. */
function meantText(meant: readonly string[]): string {
  return meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : '';
}
