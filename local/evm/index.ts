/** A local chain with Uniswap on it, for `npm start -- --chain local` and for tests. */
import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts';
import { contracts, DEPLOYER, deployContracts } from './deploy.ts';
import { callOne, sendAll, type Transaction } from './json-rpc.ts';
import { addV2, addV3, approvals, call, enableLowestTier } from './liquidity.ts';

export interface LocalChain {
  readonly url: string;
  readonly pid: number | undefined;
  /** Secrets with which the functions find it and give from its faucet. */
  readonly environment: Readonly<Record<'LOCAL_RPC_URL' | 'LOCAL_FAUCET_KEY', string>>;
  readonly faucet: Address;
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Sends transactions from the deployer, who owns all test tokens. */
  send(transactions: readonly Transaction[]): Promise<void>;
  close(): Promise<void>;
}

export const ETHER = 10n ** 18n;
const { weth, alpha, beta, gamma } = contracts;

/** Pools between ETH at 2,000 alpha and the other tokens; the best ones are V3 0.05 % and V3 0.3 %. */
const pools: readonly Transaction[] = [
  addV2({ tokens: [weth, alpha], amounts: [100n * ETHER, 200_000n * ETHER] }),
  addV2({ tokens: [alpha, beta], amounts: [50_000n * ETHER, 25_000n * ETHER] }),
  addV3(100, { tokens: [weth, alpha], amounts: [5n * ETHER, 10_000n * ETHER] }),
  addV3(500, { tokens: [weth, alpha], amounts: [500n * ETHER, 1_000_000n * ETHER] }),
  addV3(3000, { tokens: [weth, alpha], amounts: [200n * ETHER, 400_000n * ETHER] }),
  addV3(10_000, { tokens: [weth, alpha], amounts: [20n * ETHER, 40_000n * ETHER] }),
  addV3(500, { tokens: [alpha, beta], amounts: [100_000n * ETHER, 50_000n * ETHER] }),
  addV3(3000, { tokens: [weth, gamma], amounts: [100n * ETHER, 1_000n * ETHER] }),
];

/** Starts a node, deploys the contracts and fills the pools: about half a second. */
export async function startLocalChain(options: AnvilOptions = {}): Promise<LocalChain> {
  const anvil = await startAnvil(options);
  try {
    const key = `0x${randomBytes(32).toString('hex')}` as const;
    const faucet = privateKeyToAddress(key);
    await deployContracts(anvil.url);
    await sendAll(anvil.url, DEPLOYER, [
      call(weth, 'weth', 'deposit', [], 5_000n * ETHER),
      ...[weth, alpha, beta, gamma].flatMap(approvals),
      enableLowestTier(),
      ...pools,
      { to: faucet, value: 1_000n * ETHER },
    ]);
    return localChain(anvil, faucet, key);
  } catch (error) {
    await anvil.close();
    throw error;
  }
}

function localChain(anvil: Anvil, faucet: Address, key: string): LocalChain {
  const { url, pid } = anvil;
  return {
    url,
    pid,
    environment: { LOCAL_RPC_URL: url, LOCAL_FAUCET_KEY: key },
    faucet,
    rpc: (method, params) => callOne(url, method, params),
    send: (transactions) => sendAll(url, DEPLOYER, transactions),
    close: () => anvil.close(),
  };
}
