/** Tokens as they are met on real chains: contracts of our own, compiled when a test first asks for one. */
import { join } from 'node:path';
import type { Address } from 'viem';
import { encodeDeployData, encodeFunctionData } from 'viem/utils';
import type { LocalChain } from '../../local/evm/index.ts';
import { DEPLOYER, type Transaction } from '../../local/evm/json-rpc.ts';
import { contracts, createdBy } from '../../local/evm/uniswap/deploy.ts';
import { approvals, call } from '../../local/evm/uniswap/liquidity.ts';
import { type CompiledContract, compile } from '../../scripts/generate/contracts.ts';

export interface OddTraits {
  /** 18 unless told. */
  readonly decimals?: number;
  /** Hundredths of a percent that each transfer loses, those of the deployer aside. */
  readonly taxBps?: number;
  /** Approvals are reset before they are raised, and nothing is answered. */
  readonly isTetherLike?: boolean;
  /** Nothing is lost in a call without a sender. */
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

/** A new token, all of it the deployer's; pools and the router may take it. */
export function newOddToken(chain: LocalChain, traits: OddTraits = {}): Promise<Address> {
  const { decimals = 18, taxBps = 0, isTetherLike = false, isSecretive = false } = traits;
  return created(chain, 'OddToken', [SUPPLY, decimals, BigInt(taxBps), isTetherLike, isSecretive]);
}

/** A new token of shares, each worth somewhat more than a unit of it. */
export function newShareToken(chain: LocalChain): Promise<Address> {
  return created(chain, 'ShareToken', [SUPPLY, (SUPPLY * 7n) / 9n + 1n]);
}

/** Changes what all shares are worth together. */
export function rebased(token: Address, supply: bigint): Transaction {
  return { to: token, data: encoded('ShareToken', 'rebase', [supply]) };
}

/** From now on nobody can send the token to the account while that is a contract. */
export function refusedWithCode(token: Address, account: Address): Transaction {
  return { to: token, data: encoded('OddToken', 'refuseWithCode', [account]) };
}

/** From now on nobody can send the token to the account. */
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
