/**
 * The chains, one row each: `market` is what sources of token prices need, `node` what the protocol routes need. A domain
 * keeps its own facts about a chain itself, by the row's name.
 */
import type { Address } from 'viem';

export interface KnownToken {
  readonly symbol: string;
  readonly address: Address;
  readonly decimals: number;
}

interface Market {
  /** The name that sources of token prices use. */
  readonly name: string;
  /** CoinGecko's name. */
  readonly platform: string;
  /** CoinGecko's id of the coin that fees are paid in. */
  readonly nativeCoin: string;
  /** The provider's names for the platform, which are ids of its coins. */
  readonly coins: readonly string[];
  /** The format of addresses. */
  readonly address: RegExp;
}

interface NodeFacts {
  /** Its native token has no value: the only kind of chain on which this service may sign. */
  readonly testnet: boolean;
  readonly nativeSymbol: string;
  /** Priority fee in wei per unit of gas, on top of the base fee, with which a transaction is mined soon. */
  readonly tip: bigint;
  /** Tokens that routes may pass through and that take no transfer fee; the wrapped native token first. */
  readonly tokens: readonly [KnownToken, ...KnownToken[]];
}

interface Row {
  readonly title: string;
  /** The id of EVM chains (EIP-155). */
  readonly chainId: number | null;
  readonly market?: Market;
  readonly node?: NodeFacts;
}

/** Case-insensitive, so stored in lower case. */
const evm = /^0x[\da-f]{40}$/;
/** Thirty-two bytes in base 58, which is case-sensitive. */
const solana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const tron = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

/** A chain whose tokens have prices. */
const priced = <const Id extends number | null>(
  title: string,
  chainId: Id,
  name: string,
  platform: string,
  nativeCoin: string,
  coins: string | readonly string[],
  address = evm,
) => ({ title, chainId, market: { name, platform, nativeCoin, coins: [coins].flat(), address } });

const token = (symbol: string, address: Address, decimals = 18): KnownToken => ({
  symbol,
  address,
  decimals,
});

/** In wei. */
export const GWEI = 10n ** 9n;

const rows = {
  mainnet: {
    ...priced('Ethereum', 1, 'ethereum', 'ethereum', 'ethereum', 'eth-ethereum'),
    node: {
      testnet: false,
      nativeSymbol: 'ETH',
      tip: GWEI,
      tokens: [
        token('WETH', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
        token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6),
        token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6),
        token('DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
        token('WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8),
      ],
    },
  },
  base: {
    ...priced('Base', 8_453, 'base', 'base', 'ethereum', 'base-base'),
    node: {
      testnet: false,
      nativeSymbol: 'ETH',
      tip: GWEI / 1000n,
      tokens: [
        token('WETH', '0x4200000000000000000000000000000000000006'),
        token('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6),
      ],
    },
  },
  arbitrum: {
    ...priced('Arbitrum One', 42_161, 'arbitrum', 'arbitrum-one', 'ethereum', 'arb-arbitrum'),
    node: {
      testnet: false,
      nativeSymbol: 'ETH',
      tip: 0n,
      tokens: [
        token('WETH', '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'),
        token('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6),
        token('USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6),
        token('WBTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 8),
        token('DAI', '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'),
        token('ARB', '0x912CE59144191C1204E64559FE8253a0e49E6548'),
      ],
    },
  },
  sepolia: {
    title: 'Sepolia',
    chainId: 11_155_111,
    node: {
      testnet: true,
      nativeSymbol: 'ETH',
      tip: GWEI,
      tokens: [
        token('WETH', '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14'),
        token('USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6),
      ],
    },
  },
  /** A node on this machine (`npm start -- --lambda --chain local`, tests); local/evm/uniswap/ deploys its tokens. */
  local: {
    title: 'Local chain',
    chainId: 31_337,
    node: {
      testnet: true,
      nativeSymbol: 'ETH',
      tip: GWEI,
      tokens: [
        token('WETH', '0x700b6A60ce7EaaEA56F065753d8dcB9653dbAD35'),
        token('UNI-V2', '0xf7Cd8fa9b94DB2Aa972023b379c7f72c65E4De9D'),
      ],
    },
  },
} as const satisfies Readonly<Record<string, Row>>;

/** Chains with prices only, as arguments of `priced`: literals, which functions without prices do not load. */
const pricedOnly: readonly Parameters<typeof priced>[] = [
  ['BNB Smart Chain', 56, 'bsc', 'binance-smart-chain', 'binancecoin', 'bnb-binance-coin'],
  [
    'Polygon POS',
    137,
    'polygon',
    'polygon-pos',
    'polygon-ecosystem-token',
    ['matic-polygon', 'pol-polygon-ecosystem-token'],
  ],
  ['Optimism', 10, 'optimism', 'optimistic-ethereum', 'ethereum', 'op-optimism'],
  ['Avalanche', 43_114, 'avax', 'avalanche', 'avalanche-2', 'avax-avalanche'],
  ['Solana', null, 'solana', 'solana', 'solana', 'sol-solana', solana],
  ['TRON', null, 'tron', 'tron', 'tron', 'trx-tron', tron],
  ['Fantom', 250, 'fantom', 'fantom', 'fantom', 'ftm-fantom'],
  ['Sonic', 146, 'sonic', 'sonic', 'sonic-3', 's-sonic'],
  ['Gnosis Chain', 100, 'xdai', 'xdai', 'xdai', 'gno-gnosis'],
  ['Celo', 42_220, 'celo', 'celo', 'celo', 'celo-celo'],
  ['Cronos', 25, 'cronos', 'cronos', 'crypto-com-chain', 'cro-cronos'],
  ['ZKsync', 324, 'era', 'zksync', 'ethereum', ['zksync-zksync', 'zk-zksync']],
  ['Mantle', 5_000, 'mantle', 'mantle', 'mantle', 'mnt-mantle'],
  ['PulseChain', 369, 'pulse', 'pulsechain', 'pulsechain', 'pls-pulsechain'],
  ['Kava', 2_222, 'kava', 'kava', 'kava', 'kava-kava'],
  ['Harmony', 1_666_600_000, 'harmony', 'harmony-shard-0', 'harmony', 'one-harmony'],
  ['Moonbeam', 1_284, 'moonbeam', 'moonbeam', 'moonbeam', 'glmr-moonbeam'],
  ['Moonriver', 1_285, 'moonriver', 'moonriver', 'moonriver', 'movr-moonriver'],
  ['Aurora', 1_313_161_554, 'aurora', 'aurora', 'ethereum', 'aurora-aurora'],
];

type Rows = typeof rows;
export type ChainName = {
  [Name in keyof Rows]: Rows[Name] extends { readonly node: object } ? Name : never;
}[keyof Rows];

/** A chain whose node the protocol routes may use. */
export interface Chain extends NodeFacts {
  readonly name: string;
  readonly chainId: number;
  readonly wrappedNative: Address;
  /** The variable that holds the node's URL: a secret, because it carries the provider's key. */
  readonly rpcUrlSecret: string;
}

/** The names in the order in which error messages list them. */
export const chainNames = Object.entries<Row>(rows).flatMap(
  ([name, { node }]) => (node ? [name as ChainName] : []), // the type follows from the same rows
);

export const chains = Object.fromEntries(
  chainNames.map((name): [ChainName, Chain] => {
    const { chainId, node } = rows[name];
    const [{ address: wrappedNative }] = node.tokens;
    return [name, { ...node, name, chainId, wrappedNative, rpcUrlSecret: `${name.toUpperCase()}_RPC_URL` }];
  }),
) as Readonly<Record<ChainName, Chain>>; // all names are present

/** A chain whose tokens have prices. */
export interface MarketChain extends Market {
  readonly title: string;
  readonly chainId: number | null;
}

export const marketChains: readonly MarketChain[] = /* @__PURE__ */ marketRows();

function marketRows(): MarketChain[] {
  const all: readonly Row[] = [...Object.values(rows), ...pricedOnly.map((row) => priced(...row))];
  return all.flatMap(({ title, chainId, market }) => (market ? [{ ...market, title, chainId }] : []));
}

/** The chains by the provider's names for the platforms. */
export const chainOfCoin: ReadonlyMap<string, MarketChain> = /* @__PURE__ */ byCoin();

function byCoin(): ReadonlyMap<string, MarketChain> {
  return new Map(marketChains.flatMap((chain) => chain.coins.map((coin) => [coin, chain] as const)));
}

/** The normalized address, as stored and requested; undefined if it is invalid on that chain. */
export function addressOn({ address }: Pick<MarketChain, 'address'>, text: string): string | undefined {
  const written = address === evm ? text.trim().toLowerCase() : text.trim();
  return address.test(written) ? written : undefined;
}
