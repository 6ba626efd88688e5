import { edgeCaseCoins } from '../../registry-layer/simulated/list.ts';
import { type WellKnownCoin, wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';

/** An entry of the provider's coin list, as `/v1/coins` answers it. */
export interface ListedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 if the coin is not active. */
  readonly rank: number;
  readonly is_new: boolean;
  readonly is_active: boolean;
  readonly type: 'coin' | 'token';
}

type Figures = Pick<WellKnownCoin, 'priceUsd' | 'circulatingSupply' | 'maxSupply' | 'firstYear' | 'follows'>;

/** A coin of the simulation. Omitted fields come from the well-known coin of that id, otherwise from the seed. */
export type ProviderCoin = Omit<ListedCoin, 'is_new' | 'is_active'> &
  Partial<Pick<ListedCoin, 'is_new' | 'is_active'>> &
  Partial<Figures>;

const wellKnown = new Map(wellKnownCoins.map((coin) => [coin.id, coin]));

/** The well-known coins, with a handful of odd ids ranked behind them. */
export const defaultCoins: readonly ProviderCoin[] = [
  ...wellKnownCoins,
  ...edgeCaseCoins.map((coin, index) => ({ ...coin, rank: wellKnownCoins.length + index + 1 })),
];

export function wellKnownCoin(id: string): ProviderCoin | undefined {
  return wellKnown.get(id);
}

/** The entry of the provider's list; a coin is active unless it says otherwise. */
export function listed({ id, name, symbol, rank, type, ...flags }: ProviderCoin): ListedCoin {
  return { id, name, symbol, rank, is_new: flags.is_new ?? false, is_active: flags.is_active ?? true, type };
}
