/** Tokens like those on real chains: our own contracts, compiled when a test first needs one. */
import { join } from 'node:path';
import type { Address } from 'viem';
import { encodeDeployData, encodeFunctionData } from 'viem/utils';
import type { LocalChain } from '../../local/evm/index.ts';
import { DEPLOYER, type Transaction } from '../../local/evm/json-rpc.ts';
import { contracts, createdBy } from '../../local/evm/uniswap/deploy.ts';
import { approvals, call } from '../../local/evm/uniswap/liquidity.ts';
import { type CompiledContract, compile } from '../../scripts/generate/contracts.ts';

export interface OddTraits {
  /** 18 by default. */
  readonly decimals?: number;
  /** The fee of each transfer in hundredths of a percent, except for the deployer's transfers. */
  readonly taxBps?: number;
  /** Approvals must be reset before they are changed, and functions return nothing. */
  readonly isTetherLike?: boolean;
  /** Transfers are free in calls without a sender. */
  readonly isSecretive?: boolean;
}

const SUPPLY = 10n ** 30n;
const UNLIMITED = 2n ** 256n - 1n;
const compiled = new Map<string, CompiledContract>();

function contract(name: 'OddToken' | 'ShareToken'): CompiledContract {
  const known = compiled.get(name) ?? compile(join(import.meta.dirname, 'tokens', `${name}.sol`));
  compiled.set(name, known);
  return known;
}

/** A new token, which the deployer owns; pools and the router may take it. */
export function newOddToken(chain: LocalChain, traits: OddTraits = {}): Promise<Address> {
  const { decimals = 18, taxBps = 0, isTetherLike = false, isSecretive = false } = traits;
  return created(chain, 'OddToken', [SUPPLY, decimals, BigInt(taxBps), isTetherLike, isSecretive]);
}

/** A new token that counts in shares, each worth a little more than a unit. */
export function newShareToken(chain: LocalChain): Promise<Address> {
  return created(chain, 'ShareToken', [SUPPLY, (SUPPLY * 7n) / 9n + 1n]);
}

/** Changes the total value of all shares. */
export function rebased(token: Address, supply: bigint): Transaction {
  return { to: token, data: encoded('ShareToken', 'rebase', [supply]) };
}

/** From now on the token rejects transfers to the account if that is a contract. */
export function refusedWithCode(token: Address, account: Address): Transaction {
  return { to: token, data: encoded('OddToken', 'refuseWithCode', [account]) };
}

/** From now on the token rejects transfers to the account. */
export function refused(token: Address, account: Address): Transaction {
  return { to: token, data: encoded('OddToken', 'refuse', [account]) };
}

async function created(
  chain: LocalChain,
  name: 'OddToken' | 'ShareToken',
  args: readonly unknown[],
): Promise<Address> {
  const nonce = Number(await chain.rpc('eth_getTransactionCount', [DEPLOYER, 'latest']));
  const token = createdBy(nonce);
  const { abi, bytecode } = contract(name);
  await chain.send([{ data: encodeDeployData({ abi, bytecode, args }) }]);
  await chain.send([...approvals(token), call(token, 'token', 'approve', [contracts.router, UNLIMITED])]);
  return token;
}

function encoded(name: 'OddToken' | 'ShareToken', functionName: string, args: readonly unknown[]) {
  return encodeFunctionData({ abi: contract(name).abi, functionName, args });
}
