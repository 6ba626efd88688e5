import { type Line, span, wrapped } from '../../commands/format/text.ts';
import { terminalText } from '../ansi.ts';
import { hasColour, type Terminal, widthOf } from '../terminal.ts';
import type { Loaded } from './load.ts';
import { noteTexts, sumLines, timeText } from './notes.ts';
import type { WatchRow } from './rows.ts';
import { tableLines } from './table.ts';

/** The table as it is printed once, with its sum and notes. */
export function printedLines(
  rows: readonly WatchRow[],
  loaded: Loaded,
  { width, now }: { readonly width: number; readonly now: number },
): Line[] {
  const currency = loaded.conversion?.currency;
  const time = timeText(loaded, now);
  const notes = [
    ...(time ? [`Prices ${time}.`] : []),
    ...noteTexts(rows, loaded, now),
    ...(loaded.isDefault ? ['Add your own: marketdata watch add BTC'] : []),
  ];
  return [
    ...tableLines(rows, { width, currency }),
    ...sumLines(rows, currency, width),
    ...notes.flatMap((text) => wrapped(text, width)).map((text): Line => [span(text, 'muted')]),
  ];
}

/** On stdout, as a table or as JSON. */
export function printOnce(
  loaded: Loaded,
  rows: readonly WatchRow[],
  json: boolean,
  terminal: Terminal,
): void {
  const { stdout, env } = terminal;
  if (json) {
    stdout.write(`${JSON.stringify(watchJson(loaded, rows), null, 2)}\n`);
    return;
  }
  const lines = printedLines(rows, loaded, { width: widthOf(stdout), now: Date.now() });
  stdout.write(terminalText(lines, hasColour(stdout, env), Number.POSITIVE_INFINITY));
}

/** Each coin's data as the service told it, with its source, quality and time, and what is held of it. */
function watchJson({ coins, conversion }: Loaded, rows: readonly WatchRow[]): unknown {
  return rows.map(({ id, worth }) => {
    const coin = coins.find((other) => ('error' in other ? other.id : other.data.id) === id);
    if (!coin || 'error' in coin) return { id, error: coin?.error };
    const { sources, isSimulated, quality, madeAt } = coin.provenance;
    return {
      ...coin.data,
      ...(worth && { holding: { ...worth, currency: conversion?.currency ?? 'USD' } }),
      ...(conversion && { conversion: { from: 'USD', to: conversion.currency, rate: conversion.rate } }),
      _meta: {
        source: [...sources, ...(isSimulated ? ['simulated'] : [])].join(','),
        quality,
        dataTime: madeAt === undefined ? null : new Date(madeAt).toISOString(),
      },
    };
  });
}
