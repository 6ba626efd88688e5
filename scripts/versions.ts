/** `npm run versions -- <command>`: which version of each function serves, and changes of that without a deployment. */
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { runCommand } from './command.ts';
import { liveAliases } from './versions/live-aliases.ts';
import { pointAll } from './versions/point.ts';
import { aimsBefore, deleteOld } from './versions/published.ts';
import { aimsOf, readRecord, recordOf } from './versions/record.ts';

const usage = `Usage: npm run versions -- <command> <stack>

Every function of a stack, of a route or a job, runs through its alias "live". With credentials of the account, and AWS_REGION:

  show <stack>                      prints the version that each alias points to, as JSON
  restore <stack> <file>            points the aliases to the versions of a file that show has written
  rollback <stack> --before <time>  points an alias whose version was published since a time, such as
                                    2026-11-22T03:00Z, to the newest version from before it; the others stay
  forward <stack>                   points the aliases to the versions that were deployed last
  prune <stack>                     deletes versions: not the newest five, nor those that an alias points to

Exits with 0 if all was done, 1 if something failed, 2 for wrong usage.`;

const KEPT_VERSIONS = 5;

/** The lines of usage, without what they say. */
const commands: Readonly<Record<string, string>> = {
  show: 'show <stack>',
  restore: 'restore <stack> <file>',
  rollback: 'rollback <stack> --before <time>',
  forward: 'forward <stack>',
  prune: 'prune <stack>',
};

/** Throws an Error if something is wrong with the arguments. */
function read(args: readonly string[]): Wanted {
  const options = { before: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [command = '', stack = '', file = ''] = positionals;
  const form = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!form) throw new Error(command ? `Unknown command: ${command}` : 'The command is missing');
  const takesFile = form.includes('<file>');
  if (positionals.length !== (takesFile ? 3 : 2) || form.includes('--before') !== 'before' in values)
    throw new Error(`It is: ${form}`);
  const time = millisecondsOf(values.before ?? '1970-01-01T00:00Z');
  if (Number.isNaN(time)) throw new Error('--before takes a time with its zone, such as 2026-11-22T03:00Z');
  return { command, stack, file, time };
}

/** Without a zone it would be this computer's: that is no time either. */
function millisecondsOf(time: string): number {
  return /T.*(Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) : Number.NaN;
}

interface Wanted {
  readonly command: string;
  readonly stack: string;
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Returns whether all was done. */
async function run({ command, stack, file, time }: Wanted): Promise<boolean> {
  const lambda = new LambdaClient();
  const record = command === 'restore' ? readRecord(file) : {};
  const aliases = await liveAliases(stack, new CloudFormationClient(), lambda).catch((error: unknown) => {
    // Before the first deployment nothing serves.
    if (command === 'show' && /does not exist/.test(String(error))) return [];
    throw error;
  });
  switch (command) {
    case 'show':
      console.log(JSON.stringify(recordOf(aliases), null, 2));
      return true;
    case 'restore':
      return pointAll(aimsOf(record, aliases), lambda);
    case 'rollback':
      return pointAll(await aimsBefore(aliases, time, lambda), lambda);
    case 'forward':
      return pointAll(
        aliases.map((alias) => ({ alias, to: alias.deployed ?? alias.version })),
        lambda,
      );
    default:
      return deleteOld(aliases, KEPT_VERSIONS, lambda);
  }
}

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) =>
  runCommand(args, { usage, read, run, failed: (reason, { command }) => `${command} failed: ${reason}` });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
