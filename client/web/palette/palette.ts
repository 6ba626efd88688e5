import type { Api } from '../../commands/api.ts';
import type { Conversion } from '../../commands/currency/conversion.ts';
import { requestFailure } from '../../commands/failure.ts';
import { plainText } from '../../commands/format/text.ts';
import { parseCommand } from '../../commands/parse/parse.ts';
import { commandNamed } from '../../commands/parse/table.ts';
import { wordsOf } from '../../commands/parse/words.ts';
import type { RunContext } from '../../commands/run.ts';
import { defaultProtocol } from '../../commands/sources.ts';
import { byId } from '../dom.ts';
import type { Notices } from '../notices.ts';
import { isOffline } from '../offline.ts';
import { type CommandsOptions, matching, paletteCommands } from './commands.ts';
import { createList, type Section } from './list.ts';
import { type Choice, coinChoice, commandChoice, lineChoice } from './options.ts';
import type { ListedCoin, Recent } from './recent.ts';
import { createSuggestions } from './suggestions.ts';

export interface PaletteOptions extends CommandsOptions {
  readonly context: RunContext;
  readonly conversion: () => Conversion | undefined;
  readonly notices: Notices;
  readonly recent: Recent;
  /** Commands of the page alone. */
  readonly ownCommands: readonly string[];
  readonly openCoin: (coin: ListedCoin) => void;
}

export interface Palette {
  /** Shows what belongs to the text in the field, which may have been typed before. */
  begin(): void;
  /** Does what is marked; if coins are still asked for, as soon as they are there. */
  choose(): void;
}

const MAX_COINS = 7;

export function createPalette(options: PaletteOptions): Palette {
  const { context, conversion, notices, recent, runCommand, openCoin } = options;
  const { tickers } = context;
  const dialog = byId('palette', HTMLDialogElement);
  const field = byId('palette-query', HTMLInputElement);
  const listbox = byId('palette-list', HTMLElement);
  const status = byId('palette-status', HTMLElement);
  const list = createList(listbox, field, chosen);
  let listed: readonly ListedCoin[] = [];
  let pricing: AbortController | undefined;
  /** Coins whose prices were asked for since the palette was opened. */
  const asked = new Set<string>();
  let isEntered = false;

  const suggestions = createSuggestions({
    async search(query, signal) {
      const api: Api = { ...context.api, search: (input) => context.api.search(input, { signal }) };
      const { data } = await api.search({ q: query, limit: 2 * MAX_COINS });
      return data.results
        .filter(({ is_active: isActive }) => isActive)
        .slice(0, MAX_COINS)
        .map(({ id, name, symbol, rank }) => ({ id, name, symbol, rank }));
    },
    onChange() {
      show();
      if (!isEntered) return;
      isEntered = false;
      choose();
    },
  });

  function chosen({ run }: Choice): void {
    dialog.close();
    run();
  }

  function choose(): void {
    if (suggestions.isAsking() && list.marked()?.key !== 'line') {
      isEntered = true;
      return;
    }
    const choice = list.marked();
    if (choice) chosen(choice);
  }

  /** What was typed, if it is a command line. */
  function typedLine(): string | undefined {
    const line = field.value.trim();
    if (options.ownCommands.includes(line.toLowerCase())) return line;
    try {
      const words = wordsOf(line);
      if (!commandNamed(words[0] ?? '')) return undefined;
      parseCommand(words);
      return line;
    } catch {
      return undefined;
    }
  }

  /** Coins are not looked for by a line whose first word is a command and that has more. */
  function isLine(): boolean {
    const [first = '', ...more] = field.value.trim().split(/\s+/);
    return more.length > 0 && commandNamed(first) !== undefined;
  }

  function update(): void {
    isEntered = false;
    if (isLine() || isOffline()) suggestions.stop();
    else suggestions.ask(field.value);
    show();
  }

  function show(): void {
    const query = field.value.trim();
    const line = typedLine();
    const found = isLine() ? [] : suggestions.found(query);
    // The coins of the letters before stay until there are others.
    if (query === '') listed = recent.coins();
    else if (found || !suggestions.isAsking()) listed = found ?? [];
    askPrices();
    list.show([
      { title: 'Command', choices: line === undefined ? [] : [lineChoice(line, () => runCommand(line))] },
      { title: query === '' ? 'Recent coins' : 'Coins', choices: listed.map(choiceOf) },
      commandsFor(query),
    ]);
    tell();
  }

  function commandsFor(query: string): Section {
    const commands = paletteCommands(options);
    const own = matching(commands, query);
    const needed = isRefused() ? commands.filter(({ title }) => title === 'Settings') : [];
    return { title: 'Commands', choices: [...new Set([...needed, ...own])].map(commandChoice) };
  }

  function isRefused(): boolean {
    return explained()?.reason === 'unauthorized';
  }

  function choiceOf(coin: ListedCoin): Choice {
    const ticker = tickers.known(coin.id);
    const priced = { ticker, conversion: conversion(), isLoading: pricing !== undefined };
    return coinChoice(coin, priced, () => {
      recent.add(coin);
      openCoin(coin);
    });
  }

  /** The prices that are not known, or too old, in one request; an earlier one is given up. */
  function askPrices(): void {
    const old = listed.map(({ id }) => id).filter((id) => !isFresh(id));
    pricing?.abort();
    pricing = undefined;
    if (old.length === 0 || isOffline()) return;
    const own = new AbortController();
    pricing = own;
    const { signal } = own;
    const api: Api = { ...context.api, tickers: (input) => context.api.tickers(input, { signal }) };
    void tickers
      .askAll(api, old)
      .catch(() => undefined) // without a price a coin can be opened too
      .then(() => {
        if (pricing !== own) return;
        for (const id of old) asked.add(id);
        pricing = undefined;
        show();
      });
  }

  function isFresh(id: string): boolean {
    const known = tickers.known(id);
    return asked.has(id) || (known !== undefined && Date.now() < known.provenance.freshUntil);
  }

  function explained() {
    const failure = suggestions.failure();
    if (failure === undefined) return undefined;
    const query = field.value.trim();
    return requestFailure(
      failure,
      { name: 'search', query, protocol: defaultProtocol, limit: undefined },
      context,
    );
  }

  function tell(): void {
    const isSimulated = listed.some(({ id }) => tickers.known(id)?.provenance.isSimulated);
    if (isSimulated) notices.simulated();
    const text = [statusText(), ...(isSimulated ? ['Simulated data, not real prices.'] : [])].join(' ');
    if (status.textContent !== text) status.textContent = text;
  }

  function statusText(): string {
    if (isOffline()) return 'Offline: coins cannot be looked for. Recent coins and commands are here.';
    const failure = explained();
    if (failure) {
      notices.told(failure);
      return `${plainText(failure.lines).replaceAll('\n', '. ')}.`.replace('..', '.');
    }
    if (suggestions.isAsking()) return 'Searching …';
    const count = listbox.querySelectorAll('[role=option]').length;
    return count === 0 ? `Nothing is called "${field.value.trim()}".` : counted(count);
  }

  field.addEventListener('input', update);
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const where = KEYS[event.key];
    if (!where) return;
    event.preventDefault();
    list.mark(where);
  });
  dialog.addEventListener('close', () => {
    suggestions.stop();
    pricing?.abort();
    pricing = undefined;
    isEntered = false;
  });
  for (const name of ['online', 'offline']) {
    window.addEventListener(name, () => {
      if (dialog.open) update();
    });
  }

  return {
    begin() {
      asked.clear();
      list.forget();
      update();
    },
    choose,
  };
}

const KEYS: Readonly<Record<string, Parameters<ReturnType<typeof createList>['mark']>[0]>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
};

function counted(count: number): string {
  return count === 1 ? 'One suggestion.' : `${count} suggestions.`;
}
