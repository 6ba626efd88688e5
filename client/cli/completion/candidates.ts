import { complete } from '../../commands/complete.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** Who presses Tab waits no longer. */
const TIMEOUT_MS = 1000;

/**
 * `marketdata complete -- <words>`: candidates for the last word, one a line, as a shell takes them. Whatever fails,
 * nothing is printed: the line that is being typed would be torn.
 */
export async function printCandidates(
  args: readonly string[],
  { apiWith }: Session,
  { stdout }: Terminal,
): Promise<number> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const { candidates } = await complete(words.join(' '), apiWith({ timeoutMs: TIMEOUT_MS }));
  stdout.write(candidates.map((candidate) => `${candidate}\n`).join(''));
  return 0;
}
