/** Solidity to bytecode, by its own compiler. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import solc from 'solc';
import type { Abi, Hex } from 'viem';

export interface CompiledContract {
  readonly abi: Abi;
  /** What creates it; constructor arguments follow. */
  readonly bytecode: Hex;
  /** What stands at its address. */
  readonly runtime: Hex;
}

type Output = {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, CompilerContract>>>>;
};

interface CompilerContract {
  readonly abi: Abi;
  readonly evm: Readonly<Record<'bytecode' | 'deployedBytecode', { readonly object: string }>>;
}

/**
 * The contract that a file is named after, for every chain: without the opcodes that some do not have yet, and without
 * the hash of its source, so that the same code gives the same bytes. Throws what the compiler says, its warnings too.
 */
export function compile(file: string): CompiledContract {
  const name = basename(file, '.sol');
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: readFileSync(file, 'utf8') } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const { errors, contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output; // as its documents have it
  if (errors) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const contract = contracts?.[name]?.[name];
  if (!contract) throw new Error(`${file} has no contract ${name}`);
  const { abi, evm } = contract;
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    runtime: `0x${evm.deployedBytecode.object}`,
  };
}
