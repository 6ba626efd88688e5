/** A local chain with Uniswap on it, for `npm start -- --lambda --chain local` and for tests. */
import { randomBytes } from 'node:crypto';
import { privateKeyToAddress } from 'viem/accounts';
import { domains } from '../../functions/domains.ts';
import { chains } from '../../shared/chains.ts';
import { startAnvil } from './anvil.ts';
import { callOne, DEPLOYER, ETHER, sendAll, type Transaction } from './json-rpc.ts';
import { deployUniswap } from './uniswap/liquidity.ts';

export { ETHER };

export interface LocalChain {
  readonly url: string;
  readonly pid: number | undefined;
  /** Variables of the functions: the chain's URL, and the keys of the accounts that domains need. */
  readonly environment: Readonly<Record<string, string>>;
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Sends transactions from the deployer, which owns all test tokens. */
  send(transactions: readonly Transaction[]): Promise<void>;
  close(): Promise<void>;
}

const accounts = domains.flatMap(({ localAccounts = [] }) => localAccounts);

/** Starts a node, deploys the contracts, and funds the pools and the domains' accounts: about half a second. */
export async function startLocalChain(): Promise<LocalChain> {
  const anvil = await startAnvil();
  const { url, pid } = anvil;
  try {
    const funded = accounts.map((account) => ({
      ...account,
      key: `0x${randomBytes(32).toString('hex')}` as const,
    }));
    await deployUniswap(url);
    await sendAll(
      url,
      DEPLOYER,
      funded.map(({ key, wei }) => ({ to: privateKeyToAddress(key), value: wei })),
    );
    const keys = Object.fromEntries(funded.map(({ keyVariable, key }) => [keyVariable, key]));
    return {
      ...{ url, pid, close: anvil.close },
      environment: { [chains.local.rpcUrlSecret]: url, ...keys },
      rpc: (method, params) => callOne(url, method, params),
      send: (transactions) => sendAll(url, DEPLOYER, transactions),
    };
  } catch (error) {
    await anvil.close();
    throw error;
  }
}
