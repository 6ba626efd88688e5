import { Box, render, Text, useInput, useWindowSize } from 'ink';
import { createElement as h, useSyncExternalStore } from 'react';
import { terminalText } from '../ansi.ts';
import { hasColour, type Terminal } from '../terminal.ts';
import type { Controller } from './controller.ts';
import type { KeyName } from './keys.ts';
import type { ScreenContext } from './mode.ts';
import { screenLines } from './screen.ts';

export interface AppOptions {
  readonly controller: Controller;
  readonly context: () => ScreenContext;
  /** Calls `listener` after each change; returns how to stop. */
  readonly subscribe: (listener: () => void) => () => void;
  /** A number that is another one after each change. */
  readonly version: () => number;
}

/** Shows the list on a screen of its own until `quit` is called or Ctrl-C pressed; then the terminal is as it was. */
export function openApp(options: AppOptions, terminal: Terminal): { quit(): void; ended: Promise<unknown> } {
  const { stdin, stdout, stderr } = terminal;
  const app = render(h(App, { options, terminal }), {
    stdin,
    stdout,
    stderr,
    alternateScreen: true,
    interactive: true,
  });
  return { quit: app.unmount, ended: app.waitUntilExit() };
}

function App({ options, terminal }: { readonly options: AppOptions; readonly terminal: Terminal }) {
  const { controller, context, subscribe, version } = options;
  const { columns, rows } = useWindowSize();
  useSyncExternalStore(subscribe, version);
  useInput((input, key) => {
    for (const name of pressed(input, key)) controller.press(name);
  });
  const colour = hasColour(terminal.stdout, terminal.env);
  const lines = screenLines(controller.view(), { columns, rows, hasColour: colour > 0 }, context());
  return h(
    Box,
    { flexDirection: 'column', height: rows },
    // A text without characters would have no height.
    ...lines.map((line) =>
      h(Text, { wrap: 'truncate' }, terminalText([line], colour, Number.POSITIVE_INFINITY).trimEnd() || ' '),
    ),
  );
}

type Key = Parameters<Parameters<typeof useInput>[0]>[1];

/** Keys that are typed faster than they are read come as one text. */
function pressed(input: string, key: Key): readonly KeyName[] {
  if (key.upArrow) return ['up'];
  if (key.downArrow) return ['down'];
  if (key.leftArrow) return ['left'];
  if (key.rightArrow) return ['right'];
  if (key.return) return ['enter'];
  if (key.escape) return ['escape'];
  if (key.backspace || key.delete) return ['backspace'];
  if (key.ctrl || key.meta) return [];
  return [...input].map((character) => names[character] ?? character);
}

const names: Readonly<Record<string, KeyName>> = { '\r': 'enter', '\n': 'enter', '\u007f': 'backspace' };
