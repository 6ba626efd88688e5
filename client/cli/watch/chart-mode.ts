import type { Coin } from '../../commands/coins.ts';
import { rangeNames, ranges } from '../../commands/parse/table.ts';
import type { ChartResult, FailureResult } from '../../commands/result.ts';
import { type RunContext, runChart } from '../../commands/run.ts';
import { defaultProtocol } from '../../commands/sources.ts';
import type { KeyName } from './keys.ts';
import type { ChartMode } from './mode.ts';

export interface ChartOptions {
  readonly contextOf: (signal: AbortSignal) => RunContext;
  /** The currency of the list goes for its charts too. */
  readonly conversion: () => ChartResult['conversion'];
  readonly show: (mode: ChartMode) => void;
  readonly leave: () => void;
}

export interface Charts {
  open(coin: Coin): void;
  press(key: KeyName, mode: ChartMode): void;
  /** Gives up what is being loaded. */
  close(): void;
}

/** To another time in the row of them. */
const steps: ReadonlyMap<KeyName, number> = new Map([
  ['left', -1],
  ['right', 1],
]);

/** Charts of the listed coins, of one time after another. */
export function createCharts({ contextOf, conversion, show, leave }: ChartOptions): Charts {
  let asked = new AbortController();

  function open(coin: Coin, range: ChartMode['range']): void {
    asked.abort();
    asked = new AbortController();
    show({ kind: 'chart', coin, range, result: undefined });
    void load(coin, range, asked.signal);
  }

  async function load(coin: Coin, range: ChartMode['range'], signal: AbortSignal): Promise<void> {
    const result = await runChart(coin, commandOf(coin, range), contextOf(signal));
    if (!signal.aborted) show({ kind: 'chart', coin, range, result: withConversion(result) });
  }

  function withConversion(result: ChartResult | FailureResult) {
    return result.kind === 'chart' ? { ...result, conversion: conversion() } : result;
  }

  return {
    open: (coin) => open(coin, '1m'),
    close: () => asked.abort(),
    press(key, { coin, range }) {
      const step = steps.get(key) ?? 0;
      const next = rangeNames[rangeNames.indexOf(range) + step];
      if (['escape', 'q', 'enter', 'backspace'].includes(key)) leave();
      else if (next && next !== range) open(coin, next);
    },
  };
}

function commandOf({ id }: Coin, range: ChartMode['range']): ChartResult['command'] {
  return {
    name: 'chart',
    symbol: id,
    compare: [],
    protocol: defaultProtocol,
    style: undefined,
    range: ranges[range],
  };
}
