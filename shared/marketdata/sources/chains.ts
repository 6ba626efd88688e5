/** The chains whose tokens we know: how sources of token prices, the provider and CoinGecko name them. */

export interface Chain {
  /** As sources of token prices name it. */
  readonly name: string;
  /** As CoinGecko names it. */
  readonly platform: string;
  readonly title: string;
  /** Of EVM chains (EIP-155). */
  readonly chainId: number | null;
  /** CoinGecko's id of the coin that fees are paid in. */
  readonly nativeCoin: string;
  /** How addresses are written there. */
  readonly address: RegExp;
}

/** Compared without case, so stored in lower case. */
const evm = /^0x[\da-f]{40}$/;
/** Thirty-two bytes in base 58, in which case means something. */
const solana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const tron = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const chain = (
  name: string,
  platform: string,
  title: string,
  chainId: number | null,
  nativeCoin: string,
  address = evm,
): Chain => ({ name, platform, title, chainId, nativeCoin, address });

const polygon = chain('polygon', 'polygon-pos', 'Polygon POS', 137, 'polygon-ecosystem-token');
const zksync = chain('era', 'zksync', 'ZKsync', 324, 'ethereum');

/** By the provider's name for the platform, which is the id of its coin. */
export const chains: Readonly<Record<string, Chain>> = {
  'eth-ethereum': chain('ethereum', 'ethereum', 'Ethereum', 1, 'ethereum'),
  'bnb-binance-coin': chain('bsc', 'binance-smart-chain', 'BNB Smart Chain', 56, 'binancecoin'),
  'matic-polygon': polygon,
  'pol-polygon-ecosystem-token': polygon,
  'arb-arbitrum': chain('arbitrum', 'arbitrum-one', 'Arbitrum One', 42_161, 'ethereum'),
  'op-optimism': chain('optimism', 'optimistic-ethereum', 'Optimism', 10, 'ethereum'),
  'base-base': chain('base', 'base', 'Base', 8_453, 'ethereum'),
  'avax-avalanche': chain('avax', 'avalanche', 'Avalanche', 43_114, 'avalanche-2'),
  'sol-solana': chain('solana', 'solana', 'Solana', null, 'solana', solana),
  'trx-tron': chain('tron', 'tron', 'TRON', null, 'tron', tron),
  'ftm-fantom': chain('fantom', 'fantom', 'Fantom', 250, 'fantom'),
  's-sonic': chain('sonic', 'sonic', 'Sonic', 146, 'sonic-3'),
  'gno-gnosis': chain('xdai', 'xdai', 'Gnosis Chain', 100, 'xdai'),
  'celo-celo': chain('celo', 'celo', 'Celo', 42_220, 'celo'),
  'cro-cronos': chain('cronos', 'cronos', 'Cronos', 25, 'crypto-com-chain'),
  'zksync-zksync': zksync,
  'zk-zksync': zksync,
  'mnt-mantle': chain('mantle', 'mantle', 'Mantle', 5_000, 'mantle'),
  'pls-pulsechain': chain('pulse', 'pulsechain', 'PulseChain', 369, 'pulsechain'),
  'kava-kava': chain('kava', 'kava', 'Kava', 2_222, 'kava'),
  'one-harmony': chain('harmony', 'harmony-shard-0', 'Harmony', 1_666_600_000, 'harmony'),
  'glmr-moonbeam': chain('moonbeam', 'moonbeam', 'Moonbeam', 1_284, 'moonbeam'),
  'movr-moonriver': chain('moonriver', 'moonriver', 'Moonriver', 1_285, 'moonriver'),
  'aurora-aurora': chain('aurora', 'aurora', 'Aurora', 1_313_161_554, 'ethereum'),
};

/** Each chain once. */
export const chainList: readonly Chain[] = [...new Set(Object.values(chains))];

/** The address as it is stored and requested; undefined if it is none of that chain. */
export function addressOn({ address }: Pick<Chain, 'address'>, text: string): string | undefined {
  const written = address === evm ? text.trim().toLowerCase() : text.trim();
  return address.test(written) ? written : undefined;
}
