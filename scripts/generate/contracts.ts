/** Writes the TypeScript of each contract that functions carry beside its Solidity. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractSources, generatedFile, generatedModule } from '../contracts/generated.ts';

for (const source of contractSources) {
  const path = join(import.meta.dirname, '../..', generatedFile(source));
  await writeFile(path, generatedModule(source));
  console.log(`Written ${path}`);
}
