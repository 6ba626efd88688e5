/** The contracts of our own that functions carry, as code for a state override: from Solidity to TypeScript. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Abi } from 'viem';
import { formatted } from '../sdk/formatted.ts';
import { compile } from './compile.ts';

const root = join(import.meta.dirname, '../..');

export const contractSources = globSync('functions/**/contracts/*.sol', { cwd: root });

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
  const contract = basename(source, '.sol');
  const name = contract.charAt(0).toLowerCase() + contract.slice(1);
  const lines = [
    `/** Made of ${contract}.sol by \`npm run generate -- contracts\`. */`,
    `export const ${name}Abi = ${withoutSourceTypes(forOthers)} as const;\n`,
    `export const ${name}Code = '${runtime}';\n`,
  ];
  return formatted(lines.join('\n'), generatedFile(source));
}

/** As JSON, without the names that types have in the source: nothing reads them, and functions carry the rest. */
function withoutSourceTypes(abi: Abi): string {
  return JSON.stringify(abi, (key, value: unknown) => (key === 'internalType' ? undefined : value));
}
