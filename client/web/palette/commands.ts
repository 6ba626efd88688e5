import { currencies } from '../../commands/parse/table.ts';
import type { View } from '../views.ts';

/** What the palette does beside opening coins. */
export interface PaletteCommand {
  readonly title: string;
  readonly hint: string;
  /** Words that find it beside those of the title. */
  readonly words: string;
  /** Listed only if it is asked for. */
  readonly isRare?: boolean;
  readonly run: () => void;
}

export interface CommandsOptions {
  readonly runCommand: (command: string) => void;
  readonly showView: (view: View) => void;
  readonly countCharts: () => number;
  readonly chooseCurrency: (code: string) => void;
}

const MAX_COMMANDS = 6;

export function paletteCommands(options: CommandsOptions): readonly PaletteCommand[] {
  const { runCommand, showView, countCharts, chooseCurrency } = options;
  const charts = countCharts();
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return [
    { title: 'Market', hint: 'the largest coins', words: 'home overview', run: () => showView('market') },
    ...(charts === 0
      ? []
      : [
          {
            title: 'Charts',
            hint: `${charts} in this dashboard`,
            words: 'cards panel dashboard',
            run: () => showView('charts'),
          },
        ]),
    { title: 'Help', hint: 'all commands', words: 'usage keys', run: () => runCommand('help') },
    { title: 'Settings', hint: 'API key', words: 'preferences', run: () => runCommand('settings') },
    { title: 'Clear', hint: 'empties the output', words: 'log terminal', run: () => runCommand('clear') },
    ...currencies.map((each): PaletteCommand => {
      const code = each.toUpperCase();
      const name = names.of(code) ?? '';
      return {
        title: `Prices in ${code}`,
        hint: name,
        words: 'currency',
        isRare: true,
        run: () => chooseCurrency(code),
      };
    }),
  ];
}

/** Those of which every typed word begins a word; without words the usual ones. */
export function matching(commands: readonly PaletteCommand[], query: string): readonly PaletteCommand[] {
  const typed = wordsOf(query);
  return commands
    .filter(({ title, hint, words, isRare }) => {
      const known = wordsOf(`${title} ${hint} ${words}`);
      return typed.length === 0
        ? isRare !== true
        : typed.every((word) => known.some((each) => each.startsWith(word)));
    })
    .slice(0, MAX_COMMANDS);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
