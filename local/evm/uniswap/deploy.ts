/** Deploys Uniswap V2 and V3 on an empty local chain, at the addresses in functions/uniswap/deployments.ts. */
import type { Address, Hex } from 'viem';
import { encodeDeployData, getContractAddress } from 'viem/utils';
import { DEPLOYER, sendAll, type Transaction } from '../json-rpc.ts';
import { artifact, type ContractName } from './artifacts.ts';

const TOKEN_SUPPLY = 10n ** 30n;

/** The address of the contract that the deployer's n-th transaction creates, counted from 0. */
export function createdBy(nonce: number): Address {
  return getContractAddress({ from: DEPLOYER, nonce: BigInt(nonce) });
}

/** This order yields the addresses in functions/uniswap/deployments.ts; a test compares them. */
export const contracts = {
  weth: createdBy(0),
  v2Factory: createdBy(1),
  v2Router: createdBy(2),
  v3Factory: createdBy(3),
  router: createdBy(4),
  quoter: createdBy(5),
  positions: createdBy(6),
  multicall: createdBy(7),
  /** Test tokens with 18 decimals, all owned by the deployer. */
  alpha: createdBy(8),
  beta: createdBy(9),
  gamma: createdBy(10),
} as const;

export async function deployContracts(url: string): Promise<void> {
  const { weth, v2Factory, v3Factory, positions } = contracts;
  await sendAll(url, DEPLOYER, [
    creation('weth'),
    creation('v2Factory', [DEPLOYER]),
    creation('v2Router', [v2Factory, weth]),
    creation('v3Factory'),
    creation('router', [v2Factory, v3Factory, positions, weth]),
    creation('quoter', [v3Factory, weth]),
    creation('positions', [v3Factory, weth, DEPLOYER]), // the last argument describes positions in pictures, which are not used
    creation('multicall'),
    tokenCreation(),
    tokenCreation(),
    tokenCreation(),
  ]);
}

export function tokenCreation(): Transaction {
  return creation('token', [TOKEN_SUPPLY]);
}

export function creation(name: ContractName, args: readonly unknown[] = []): Transaction {
  const { abi, bytecode } = artifact(name);
  return { data: encodeDeployData({ abi, bytecode, args }) as Hex };
}
