import type { Provider } from './provider.ts';
import { coinPaprika } from './providers/coinpaprika.ts';

export type { ChartRange, Coin, Provider, SimilarCoin } from './provider.ts';

/** The values of `--protocol`: a second provider is one more entry. */
export const providers = { coinpaprika: coinPaprika } as const satisfies Readonly<Record<string, Provider>>;

export type Protocol = keyof typeof providers;

export const protocols = Object.keys(providers) as readonly Protocol[];
export const defaultProtocol: Protocol = 'coinpaprika';
