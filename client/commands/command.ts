import type { ChartRange, Protocol } from './providers.ts';

export type ChartStyle = 'candles' | 'line';

export type Command =
  | { readonly name: 'price'; readonly symbol: string; readonly protocol: Protocol }
  | {
      readonly name: 'chart';
      readonly symbol: string;
      readonly protocol: Protocol;
      readonly style: ChartStyle;
      readonly range: ChartRange;
    }
  | {
      readonly name: 'search';
      readonly query: string;
      readonly protocol: Protocol;
      readonly limit: number | undefined;
    }
  | { readonly name: 'help'; readonly topic: CommandName | undefined };

export type CommandName = 'price' | 'search' | 'chart' | 'help';
