import { wrongUsage } from '../shared/platform/mistyped.ts';

/** What a command of this folder reads, does, and prints when it fails. */
interface Command<Wanted> {
  readonly usage: string;
  /** Throws an Error with a text for whoever typed them if something is wrong with the arguments. */
  readonly read: (args: readonly string[]) => Wanted;
  /** Returns whether all was done. */
  readonly run: (wanted: Wanted) => Promise<boolean>;
  /** The text if that throws. */
  readonly failed: (reason: string, wanted: Wanted) => string;
}

/**
 * Runs a command and returns its exit status: 0 if all was done, 1 if not, 2 for wrong usage.
 */
export async function runCommand<Wanted>(
  args: readonly string[],
  { usage, read, run, failed }: Command<Wanted>,
): Promise<0 | 1 | 2> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  let wanted: Wanted;
  try {
    wanted = read(args);
  } catch (error) {
    console.error(wrongUsage(error, usage));
    return 2;
  }
  try {
    return (await run(wanted)) ? 0 : 1;
  } catch (error) {
    console.error(failed(reasonOf(error), wanted));
    return 1;
  }
}

/** Throws an Error unless the words are the one command that there is. */
export function onlyCommand(command: string, words: readonly string[]): void {
  if (words.length === 0) throw new Error('The command is missing');
  if (words[0] !== command || words.length > 1) throw new Error(`Unknown command: ${words.join(' ')}`);
}

/** Why a command failed; of a call to AWS without what it needs, what to set. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  if (reason === 'Region is missing') return 'No AWS region: set AWS_REGION, such as AWS_REGION=us-east-1';
  if (reason === 'Could not load credentials from any providers')
    return 'No AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return reason;
}
