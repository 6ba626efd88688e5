/** The contracts of our own that functions carry, as code for a state override: from Solidity to TypeScript. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import solc from 'solc';
import type { Abi, Hex } from 'viem';
import { formatted } from './typescript.ts';

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

const root = join(import.meta.dirname, '../..');

export const contractSources = globSync('functions/**/contracts/*.sol', { cwd: root });

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

/** The file beside `SwapTrial.sol` is `swap-trial.ts`. */
export function generatedFile(source: string): string {
  const words = basename(source, '.sol').replace(/(?<=[a-z])(?=[A-Z])/g, '-');
  return join(dirname(source), `${words.toLowerCase()}.ts`);
}

/**
 * A module with the contract's `…Abi`, as viem types it, without what it calls on itself alone, and its `…Code`, which
 * stands at its address.
 */
export function generatedModule(source: string): string {
  const path = join(root, source);
  const { abi, runtime } = compile(path);
  const own = Array.from(readFileSync(path, 'utf8').matchAll(/\bthis\.(\w+)/g), ([, name]) => name);
  const forOthers = abi.filter((entry) => 'name' in entry && !own.includes(entry.name));
  // Nothing reads the names that types have in the source, and functions carry the rest.
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

if (import.meta.main)
  for (const source of contractSources)
    writeFileSync(join(root, generatedFile(source)), generatedModule(source));
