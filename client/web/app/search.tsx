import type { ComponentChildren, InputHTMLAttributes, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { explain } from '../../commands/failure.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import { coinNamed } from '../../commands/run.ts';
import { Monogram } from './parts.tsx';
import { api, context } from './session.ts';
import { coinsIn, type NamedCoin, storedSignal } from './stored.ts';

export interface Option {
  /** Stays the same while suggestions change. */
  readonly key: string;
  readonly content: ComponentChildren;
  readonly run: () => void;
}

interface ComboboxProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Options, grouped by title. */
  readonly groups: Readonly<Record<string, readonly Option[]>>;
  /** Called for Enter on the marked option, or without one; returns true if it was handled. */
  readonly onEnter?: (marked: Option | undefined) => boolean;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
  readonly inputProps?: InputHTMLAttributes<HTMLInputElement>;
  /** Whether options are shown while the field is empty. */
  readonly isAlwaysOpen?: boolean;
}

/**
 * A field with a list of suggestions: the focus stays in the field, which refers to the marked option (ARIA APG,
 * combobox with listbox popup).
 */
export function Combobox(props: ComboboxProps) {
  const { label, value, onInput, groups, onEnter, inputRef, inputProps, isAlwaysOpen = false } = props;
  const id = useId();
  const [marked, setMarked] = useState<string>();
  const shown = Object.entries(groups).filter(([, { length }]) => length > 0);
  const options = Object.values(groups).flat();
  const isOpen = options.length > 0 && (isAlwaysOpen || value.trim() !== '');
  const place = options.findIndex(({ key }) => key === marked);
  const index = Math.max(0, place);
  const current = isOpen ? options[index] : undefined;
  const optionId = (option: Option) => `${id}-${options.indexOf(option)}`;

  useEffect(() => {
    if (current) document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' });
  }, [current?.key]);

  function onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (!onEnter?.(current)) current?.run();
      return;
    }
    const last = options.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index >= last ? 0 : index + 1,
      ArrowUp: index <= 0 ? last : index - 1,
      ...(isAlwaysOpen && { Home: 0, End: last }),
    };
    const target = options[targets[event.key] ?? -1];
    if (!target || !isOpen) return;
    event.preventDefault();
    setMarked(target.key);
  }

  return (
    <div class="combobox">
      <input
        {...inputProps}
        ref={inputRef}
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-expanded={isOpen}
        aria-activedescendant={current && optionId(current)}
        autocomplete="off"
        autocapitalize="off"
        autocorrect="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          setMarked(undefined);
          onInput(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        class="options"
        role="listbox"
        aria-label={`Suggestions for ${label}`}
        hidden={!isOpen}
      >
        {isOpen &&
          shown.map(([title, own]) => (
            <div key={title} role="group" aria-label={title}>
              <div class="options-title" aria-hidden="true">
                {title}
              </div>
              {own.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
                <div
                  key={option.key}
                  id={optionId(option)}
                  class="option"
                  role="option"
                  aria-selected={option === current}
                  // Before the click: pressing a mouse button would take the focus from the field.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={option.run}
                >
                  {option.content}
                </div>
              ))}
            </div>
          ))}
      </div>
    </div>
  );
}

/** Shorter than a slow typist's pause between letters, longer than a fast one's. */
const PAUSE_MS = 120;
const MAX_FOUND = 7;
const MAX_RECENT = 6;

/** The most recently opened coins, newest first. */
export const recentCoins = storedSignal('recent', (value) =>
  coinsIn(value, ({ rank }) => ({ rank: typeof rank === 'number' ? rank : undefined })),
);

export function rememberCoin({ id, name, symbol, rank }: NamedCoin): void {
  const others = recentCoins.peek().filter((coin) => coin.id !== id);
  recentCoins.value = [{ id, name, symbol, rank }, ...others].slice(0, MAX_RECENT);
}

const foundBefore = new Map<string, readonly NamedCoin[]>();

/** Active coins for the typed text, each query once; the previous ones stay until new ones arrive. */
export function useCoinSearch(text: string) {
  const query = text.trim().replace(/\s+/g, ' ').toLowerCase();
  const [last, setLast] = useState({ query: '', coins: [] as readonly NamedCoin[], problem: '' });
  const coins = query === '' ? [] : foundBefore.get(query);
  useEffect(() => {
    if (coins) return setLast({ query, coins, problem: '' });
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { data } = await api.search({ q: query, limit: 2 * MAX_FOUND }, { signal: abort.signal });
        const found = data.results.filter(({ is_active: isActive }) => isActive).slice(0, MAX_FOUND);
        foundBefore.set(query, found);
        setLast({ query, coins: found, problem: '' });
      } catch (error) {
        const { lines } = explain(error, 'The search failed', context);
        if (!abort.signal.aborted)
          setLast({ query, coins: [], problem: plainText(lines).replaceAll('\n', '. ') });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  const isBusy = !coins && last.query !== query;
  return { coins: coins ?? last.coins, isBusy, problem: isBusy ? '' : last.problem };
}

export function coinOption(coin: NamedCoin, run: () => void, figure?: ComponentChildren): Option {
  const content = (
    <>
      <Monogram {...coin} />
      <span class="names">
        <span class="name">{clean(coin.name)}</span>
        <span class="symbol">
          {clean(coin.symbol)}
          {coin.rank ? ` · rank ${coin.rank}` : ''}
        </span>
      </span>
      {figure}
    </>
  );
  return { key: `coin ${coin.id}`, content, run };
}

interface CoinFieldProps {
  readonly label: string;
  readonly placeholder: string;
  /** The coins that are suggested while the field is empty. */
  readonly usual?: readonly NamedCoin[];
  /** Why a coin cannot be chosen. */
  readonly refusal?: (coin: NamedCoin) => string | false;
  readonly onPick: (coin: NamedCoin) => void;
}

/** A field that suggests coins during typing; Enter takes the marked one, or the coin that the text names. */
export function CoinField({ label, placeholder, usual = [], refusal, onPick }: CoinFieldProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [isFocused, setFocused] = useState(false);
  const search = useCoinSearch(text);
  const offered = text.trim() === '' ? usual : search.coins;

  function pick(coin: NamedCoin): void {
    const why = refusal?.(coin);
    setProblem(why || '');
    if (why) return;
    setText('');
    onPick(coin);
  }

  async function pickNamed(): Promise<void> {
    const named = await coinNamed(text.trim(), context);
    if ('kind' in named) setProblem(plainText(named.lines.slice(0, 1)));
    else pick(named);
  }

  return (
    <div class="coin-field" onFocusIn={() => setFocused(true)} onFocusOut={() => setFocused(false)}>
      <Combobox
        label={label}
        value={text}
        onInput={(value) => {
          setText(value);
          setProblem('');
        }}
        groups={{ Coins: offered.map((coin) => coinOption(coin, () => pick(coin))) }}
        onEnter={(marked) => {
          if (text.trim() === '') setProblem('Enter a coin, such as ETH.');
          else if (search.isBusy || !marked) void pickNamed();
          else return false;
          return true;
        }}
        isAlwaysOpen={isFocused}
        inputProps={{ placeholder, 'aria-invalid': problem !== '' }}
      />
      <p class="problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
