/** Command lines of the programs in scripts/ and registry-layer/. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { parseInstant } from './instant.ts';
import { messageOf } from './message-of.ts';
import { wrongUsage } from './mistyped.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];
/** Runs the command. False: it was not completed, and stderr has the reason. */
type Run = () => Promise<unknown>;
/** Parses the arguments after a command's name. Throws an Error for wrong usage. */
type Command = (args: readonly string[]) => Run;

/**
 * A command. `form` is its usage line, such as `rollback <stack> --before <time>`: all words and options in it are
 * required. `options` are optional ones. `read` throws an Error for wrong usage.
 */
export function command<const O extends Options>(
  form: string,
  options: O,
  read: (words: readonly string[], values: Values<O>) => Run,
): Command {
  const [words = ''] = form.split(' --');
  const required = Array.from(form.matchAll(/--([\w-]+)/g), ([, name = '']) => name);
  return (args) => {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    const isComplete = required.every((name) => name in values);
    if (positionals.length !== words.split(' ').length - 1 || !isComplete)
      throw new Error(`The command is: ${form}`);
    return read(positionals, values as Values<O>); // TypeScript cannot see this through the generic type
  };
}

/** Runs the command that the arguments name, as `runProgram` does. */
export async function runCommand(
  args: readonly string[],
  usage: string,
  commands: Readonly<Record<string, Command>>,
): Promise<0 | 1 | 2> {
  const [name = '', ...others] = args;
  return runProgram(args, usage, `${name} failed`, () => {
    const read = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!read) throw new Error(/^\w/.test(name) ? `Unknown command: ${name}` : 'The command is missing');
    return read(others);
  });
}

/**
 * Prints the usage for `--help`, otherwise runs what `read` makes of the arguments; it throws an Error for wrong usage.
 * Returns the exit status: 0 for success, 1 for failure, which is printed after `failed`, 2 for wrong usage.
 */
export async function runProgram(
  args: readonly string[],
  usage: string,
  failed: string,
  read: () => Run,
): Promise<0 | 1 | 2> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(usage);
    return 0;
  }
  let run: Run;
  try {
    run = read();
  } catch (error) {
    console.error(wrongUsage(error, usage));
    return 2;
  }
  try {
    return (await run()) === false ? 1 : 0;
  } catch (error) {
    console.error(`${failed}: ${reasonOf(error)}`);
    return 1;
  }
}

/** Why a command failed, with the next step if it is known. */
export function reasonOf(error: unknown): string {
  const reason = messageOf(error);
  if (reason === 'Region is missing') return 'No AWS region: set AWS_REGION, such as AWS_REGION=us-east-1';
  if (reason === 'Could not load credentials from any providers')
    return 'No AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return reason.includes('ECONNREFUSED') ? `${reason}: is npm start running there?` : reason;
}

/** Parses a time into milliseconds since the epoch. Throws unless it exists and has a time zone. */
export function timeIn(text: string, option: string): number {
  const time = /T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? parseInstant(text) : undefined;
  if (!time) throw new Error(`${option} takes a time with its zone, such as 2026-11-20T18:00:00Z`);
  return time.first;
}
