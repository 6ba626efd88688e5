import { quoted } from '../commands/parse/words.ts';

/** The command line that shows the chart of a coin. */
export function chartCommand(id: string): string {
  return `cchart ${id.startsWith('-') ? '-- ' : ''}${quoted(id)}`;
}
