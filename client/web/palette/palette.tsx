import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { currencies, currencyName } from '../../commands/currency.ts';
import { Glyph, IconButton } from '../app/button.tsx';
import { useTickers } from '../app/feed.ts';
import { Change, Price } from '../app/parts.tsx';
import { coinPath, go, paths } from '../app/router.ts';
import {
  Combobox,
  coinOption,
  type Option,
  recentCoins,
  rememberCoin,
  useCoinSearch,
} from '../app/search.tsx';
import { currency, isOffline, knownTicker, setTo, theme } from '../app/session.ts';
import { openSettings } from '../app/settings.tsx';
import { chartsPath } from '../chart/cards.ts';
import { clearLog, isCommandLine, isTerminalOpen, runCommand } from './terminal.tsx';

const isOpen = signal(false);
const typed = signal('');
const dialog = createRef<HTMLDialogElement>();
const field = createRef<HTMLInputElement>();

/** Opens the search at once, so that its field receives the next key. */
export function openPalette(): void {
  typed.value = '';
  isOpen.value = true;
  dialog.current?.showModal();
  field.current?.focus();
}

/** The search for coins and commands: opened by the field in the header, by `/` outside fields, or by Ctrl-K anywhere. */
export function Palette() {
  return (
    <dialog ref={dialog} class="palette" aria-label="Search" closedby="any" onClose={setTo(isOpen, false)}>
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
    isTerminalOpen.value = !isTerminalOpen.value;
  }
}

function PaletteForm() {
  const text = typed.value.trim();
  const isLine = isCommandLine(text);
  const search = useCoinSearch(isLine || isOffline.value ? '' : text);
  const listed = text === '' ? recentCoins.value : search.coins;
  const coins = isOpen.value && !isLine ? listed : [];
  useTickers(coins.map(({ id }) => id));

  const option = (key: string, name: string, hint: string, run: () => void): Option => {
    const content = (
      <>
        <span class="monogram" aria-hidden="true">
          ›
        </span>
        <span class="names">
          <span class="name">{name}</span>
          <span class="symbol">{hint}</span>
        </span>
      </>
    );
    return { key, content, run: chosen(run) };
  };
  const commands = matching(text);
  const own = commands.map(([title, hint, , run]) => option(`command ${title}`, title, hint, run));
  const named = commands.findIndex(([title]) => title.toLowerCase().startsWith(wordsOf(text)[0] ?? ''));
  const line = option('line', `Run ${text}`, '', () => void runCommand(text));
  const found = coins.map((coin) => {
    const open = chosen(() => {
      rememberCoin(coin);
      go(coinPath(coin.id));
    });
    return coinOption(coin, open, <Figure id={coin.id} />);
  });
  const count = found.length + own.length + (isLine ? 1 : 0);
  return (
    <form class="palette-form" onSubmit={(event) => event.preventDefault()}>
      <div class="palette-field">
        <Glyph name="search" />
        <Combobox
          label="Search"
          value={typed.value}
          onInput={(value) => {
            typed.value = value;
          }}
          inputRef={field}
          isAlwaysOpen
          onEnter={() => {
            // Enter came before the suggestions: a text that begins a command names it, and any other a coin.
            if (search.isBusy) (own[named] ?? line).run();
            return search.isBusy;
          }}
          groups={{
            Command: isLine ? [line] : [],
            [text === '' ? 'Recent coins' : 'Coins']: found,
            Commands: own,
          }}
          inputProps={{ placeholder: 'Coin or command', enterkeyhint: 'go' }}
        />
        <IconButton glyph="remove" label="Close" onClick={close} />
      </div>
      <p class="palette-status" role="status">
        {statusText(text, search, count)}
      </p>
    </form>
  );
}

function chosen(run: () => void): () => void {
  return () => {
    close();
    run();
  };
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

function statusText(
  text: string,
  { isBusy, problem }: ReturnType<typeof useCoinSearch>,
  count: number,
): string {
  if (isOffline.value) return 'You are offline: only recent coins and commands are available.';
  if (isBusy) return 'Searching …';
  if (problem !== '') return problem;
  if (count === 0) return `No coin and no command is called "${text}".`;
  return count === 1 ? '1 suggestion.' : `${count} suggestions.`;
}

/** Title, hint, further search words, and action. */
type PaletteCommand = readonly [title: string, hint: string, words: string, run: () => void];

const MAX_COMMANDS = 7;

const usualCommands: readonly PaletteCommand[] = [
  ['Market', 'the largest coins', 'home overview', () => go(paths.market)],
  ['Watchlist', 'coins with a star', 'favourites', () => go(paths.watchlist)],
  ['Portfolio', 'what you hold', 'holdings', () => go(paths.portfolio)],
  ['Charts', 'side by side', 'dashboard', () => go(chartsPath.peek())],
  ['Terminal', 'commands and their output', 'drawer log', setTo(isTerminalOpen, true)],
  ['Help', 'all commands', 'usage keys', () => void runCommand('help')],
  ['Settings', 'API key', 'preferences', openSettings],
];
/** Commands that are listed only when typed. */
const rareCommands: readonly PaletteCommand[] = [
  ['Clear', 'empties the terminal', 'log output', clearLog],
  ...(['light', 'dark', 'system'] as const).map(
    (name): PaletteCommand => [`Theme: ${name}`, '', 'colours mode', setTo(theme, name)],
  ),
  ...currencies.map((each): PaletteCommand => {
    const code = each.toUpperCase();
    return [`Prices in ${code}`, currencyName(code) ?? '', 'currency', setTo(currency, code)];
  }),
];

/** The commands in which every typed word starts a word; without words the default ones. */
function matching(query: string): readonly PaletteCommand[] {
  const words = wordsOf(query);
  if (words.length === 0) return usualCommands;
  const isMeant = ([title, hint, others]: PaletteCommand) =>
    words.every((word) => wordsOf(`${title} ${hint} ${others}`).some((each) => each.startsWith(word)));
  return [...usualCommands, ...rareCommands].filter(isMeant).slice(0, MAX_COMMANDS);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
