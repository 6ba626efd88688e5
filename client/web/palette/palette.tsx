import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { currencies } from '../../commands/currency.ts';
import { plainText } from '../../commands/format/text.ts';
import { Change, Glyph, IconButton, Price } from '../app/parts.tsx';
import { coinPath, go, paths } from '../app/router.ts';
import { currency, isOffline, isSettingsOpen, knownTicker, theme, useTickers } from '../app/session.ts';
import { chartsPath } from '../charts/charts.ts';
import { coinOption } from '../search/coin-field.tsx';
import { type ListedCoin, recentCoins, rememberCoin, useCoinSearch } from '../search/coin-search.ts';
import { Combobox, type Option } from '../search/combobox.tsx';
import { clearLog, isCommandLine, isDrawerOpen, runCommand } from './drawer.tsx';

const isOpen = signal(false);
const typed = signal('');
const dialog = createRef<HTMLDialogElement>();
const field = createRef<HTMLInputElement>();

/** Opens the search at once: what is typed next goes into its field. */
export function openPalette(): void {
  typed.value = '';
  isOpen.value = true;
  dialog.current?.showModal();
  field.current?.focus();
}

export function openCoin(coin: ListedCoin): void {
  rememberCoin(coin);
  go(coinPath(coin.id));
}

/** The search for coins and commands: opened by the field in the header, by `/` outside of fields, by Ctrl-K anywhere. */
export function Palette() {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={() => {
        isOpen.value = false;
      }}
      // A click beside it counts as one on the dialog itself.
      onClick={({ target }) => target === dialog.current && close()}
    >
      <PaletteForm />
    </dialog>
  );
}

document.addEventListener('keydown', onShortcut);

function close(): void {
  dialog.current?.close();
}

function onShortcut(event: KeyboardEvent): void {
  if (event.isComposing || event.altKey) return;
  const isField = event.target instanceof Element && event.target.matches('input, textarea, select');
  const isSearch = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
  const isPlain = !event.ctrlKey && !event.metaKey && !isField;
  if (isSearch || (isPlain && event.key === '/')) {
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    openPalette();
  } else if (isPlain && event.key === '`') {
    event.preventDefault();
    isDrawerOpen.value = !isDrawerOpen.value;
  }
}

function PaletteForm() {
  const text = typed.value;
  const isLine = isCommandLine(text);
  const search = useCoinSearch(isLine || isOffline.value ? '' : text);
  const listed = text.trim() === '' ? recentCoins.value : isLine ? [] : search.coins.value;
  const coins = isOpen.value ? listed : [];
  /** Enter came before the coins did. */
  const [isEntered, setEntered] = useState(false);
  useTickers(coins.map(({ id }) => id));

  const choose = (run: () => void) => () => {
    close();
    run();
  };
  const own = matching(paletteCommands(), text).map(
    ({ title, hint, run }): Option => ({
      key: `command ${title}`,
      content: (
        <>
          <span class="monogram" aria-hidden="true">
            ›
          </span>
          <span class="names">
            <span class="name">{title}</span>
            <span class="symbol">{hint}</span>
          </span>
        </>
      ),
      run: choose(run),
    }),
  );
  const line: Option = {
    key: 'line',
    content: (
      <span class="names">
        <span class="name">
          Run <code>{text.trim()}</code>
        </span>
      </span>
    ),
    run: choose(() => void runCommand(text.trim())),
  };
  const found = coins.map((coin) =>
    coinOption(
      coin,
      choose(() => openCoin(coin)),
      <Figure id={coin.id} />,
    ),
  );
  const [first] = found;
  useEffect(() => {
    if (!isEntered || search.isBusy.value) return;
    setEntered(false);
    (first ?? own[0])?.run();
  });

  return (
    <form class="palette-form" onSubmit={(event) => event.preventDefault()}>
      <div class="palette-field">
        <Glyph name="search" />
        <Combobox
          label="Search"
          value={text}
          onInput={(value) => {
            setEntered(false);
            typed.value = value;
          }}
          inputRef={field}
          isAlwaysOpen
          onEnter={(marked) => {
            const isWaiting = search.isBusy.value && text.trim() !== '' && marked?.key !== 'line';
            if (isWaiting) setEntered(true);
            return isWaiting;
          }}
          groups={[
            { title: 'Command', options: isLine ? [line] : [] },
            { title: text.trim() === '' ? 'Recent coins' : 'Coins', options: found },
            { title: 'Commands', options: own },
          ]}
          inputProps={{ placeholder: 'Coin or command', enterkeyhint: 'go' }}
        />
        <IconButton glyph="remove" label="Close" onClick={close} />
      </div>
      <p class="palette-status" role="status">
        {statusText(text.trim(), search, found.length + own.length + (isLine ? 1 : 0))}
      </p>
    </form>
  );
}

function Figure({ id }: { readonly id: string }) {
  const ticker = knownTicker(id);
  if (!ticker) return <span class="figure" />;
  const { price, percent_change_24h: change } = ticker.data.quotes.USD;
  return (
    <span class="figure">
      <Price usd={price} />
      <span>
        24h <Change percent={change} />
      </span>
    </span>
  );
}

function statusText(text: string, search: ReturnType<typeof useCoinSearch>, count: number): string {
  if (isOffline.value) return 'You are offline: only recent coins and commands are here.';
  if (search.failure.value) return plainText(search.failure.value.lines).replaceAll('\n', '. ');
  if (text !== '' && search.isBusy.value) return 'Searching …';
  if (count === 0) return `No coin and no command is called "${text}".`;
  return count === 1 ? '1 suggestion.' : `${count} suggestions.`;
}

export interface PaletteCommand {
  readonly title: string;
  readonly hint: string;
  /** Words that find it beside those of the title. */
  readonly words: string;
  /** Listed only if it is typed. */
  readonly isRare?: boolean;
  readonly run: () => void;
}

const MAX_COMMANDS = 7;

function paletteCommands(): readonly PaletteCommand[] {
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return [
    { title: 'Market', hint: 'the largest coins', words: 'home overview', run: () => go(paths.market) },
    { title: 'Watchlist', hint: 'coins with a star', words: 'favourites', run: () => go(paths.watchlist) },
    { title: 'Portfolio', hint: 'what you hold', words: 'holdings', run: () => go(paths.portfolio) },
    { title: 'Charts', hint: 'side by side', words: 'dashboard', run: () => go(chartsPath.peek()) },
    {
      title: 'Terminal',
      hint: 'commands and their output',
      words: 'drawer log',
      run: () => {
        isDrawerOpen.value = true;
      },
    },
    { title: 'Help', hint: 'all commands', words: 'usage keys', run: () => void runCommand('help') },
    {
      title: 'Settings',
      hint: 'API key',
      words: 'preferences',
      run: () => {
        isSettingsOpen.value = true;
      },
    },
    { title: 'Clear', hint: 'empties the terminal', words: 'log output', isRare: true, run: clearLog },
    ...(['light', 'dark', 'system'] as const).map(
      (name): PaletteCommand => ({
        title: `Theme: ${name}`,
        hint: '',
        words: 'colours mode',
        isRare: true,
        run: () => {
          theme.value = name;
        },
      }),
    ),
    ...currencies.map((each): PaletteCommand => {
      const code = each.toUpperCase();
      return {
        title: `Prices in ${code}`,
        hint: names.of(code) ?? '',
        words: 'currency',
        isRare: true,
        run: () => {
          currency.value = code;
        },
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
