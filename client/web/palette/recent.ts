import { type Stored, stored } from '../stored.ts';

/** A coin as a list shows it. */
export interface ListedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 or undefined if it has none, or none is known. */
  readonly rank?: number | undefined;
}

const MAX_COINS = 6;

export interface Recent {
  /** The newest first. */
  readonly coins: () => readonly ListedCoin[];
  add(coin: ListedCoin): void;
}

/** The coins whose charts were opened last, kept over reloads. */
export function recentCoins(
  kept: Stored<readonly ListedCoin[]> = stored(() => localStorage, 'marketdata.recent', coinsOf),
): Recent {
  return {
    coins: () => kept.read(),
    add({ id, name, symbol, rank }) {
      const others = kept.read().filter((coin) => coin.id !== id);
      kept.write([{ id, name, symbol, rank }, ...others].slice(0, MAX_COINS));
    },
  };
}

function coinsOf(value: unknown): readonly ListedCoin[] {
  return Array.isArray(value) ? value.flatMap((each: unknown) => coinOf(each) ?? []).slice(0, MAX_COINS) : [];
}

function coinOf(value: unknown): ListedCoin | undefined {
  const { id, name, symbol, rank }: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  if (typeof id !== 'string' || typeof name !== 'string' || typeof symbol !== 'string') return undefined;
  return { id, name, symbol, rank: typeof rank === 'number' ? rank : undefined };
}
