/** Our own contracts, which functions use as code in a state override: from Solidity to TypeScript. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import solc from 'solc';
import type { Abi, Hex } from 'viem';
import { formatted } from './typescript.ts';

export interface CompiledContract {
  readonly abi: Abi;
  /** Creation code; constructor arguments follow it. */
  readonly bytecode: Hex;
  /** Runtime code. */
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

const root = join(import.meta.dirname, '../..');

export const contractSources = globSync('functions/**/contracts/*.sol', { cwd: root });

/**
 * Compiles the contract that a file is named after, for every chain: without opcodes that some chains lack, and without
 * the hash of its source, so that the same code gives the same bytes. Throws the compiler's errors and warnings.
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
  const { errors, contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output; // as documented
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

/** The file beside `SwapTrial.sol` is `swap-trial.ts`. */
export function generatedFile(source: string): string {
  const words = basename(source, '.sol').replace(/(?<=[a-z])(?=[A-Z])/g, '-');
  return join(dirname(source), `${words.toLowerCase()}.ts`);
}

/**
 * A module with the contract's `…Abi` in viem's types, without functions that it calls only on itself, and `…Code`, its
 * runtime code.
 */
export function generatedModule(source: string): string {
  const path = join(root, source);
  const { abi, runtime } = compile(path);
  const own = Array.from(readFileSync(path, 'utf8').matchAll(/\bthis\.(\w+)/g), ([, name]) => name);
  const forOthers = abi.filter((entry) => 'name' in entry && !own.includes(entry.name));
  // The source names of types are unused, and functions would carry them.
  const plain = JSON.stringify(forOthers, (key, value) => (key === 'internalType' ? undefined : value));
  const contract = basename(source, '.sol');
  const name = contract.charAt(0).toLowerCase() + contract.slice(1);
  const lines = [
    `/** Made of ${contract}.sol by \`npm run generate -- contracts\`. */`,
    `export const ${name}Abi = ${plain} as const;\n`,
    `export const ${name}Code = '${runtime}';\n`,
  ];
  return formatted(lines.join('\n'), generatedFile(source));
}
