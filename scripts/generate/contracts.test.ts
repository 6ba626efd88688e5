import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contractSources, generatedFile, generatedModule } from './contracts.ts';

const root = join(import.meta.dirname, '../..');

it.each(contractSources)('the module of %s is what its source says today', (source) => {
  expect(readFileSync(join(root, generatedFile(source)), 'utf8')).toBe(generatedModule(source));
});
