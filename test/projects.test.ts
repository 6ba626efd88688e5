import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const starters = [
  'local/container.ts',
  'local/dynamodb.ts',
  'local/evm/anvil.ts',
  'test/browser/headless.ts',
];

/** A file with all files of the repository that it imports, and those that they import. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:import|export)(?! type)[^;]*?'(\.[^']+\.ts)'/gm))
    withImports(relative(root, join(root, dirname(file), target)), seen);
  return seen;
}

it('a test that starts processes says so by its name, *.system.test.ts', () => {
  const unit = globSync('{functions,shared,infra,local,registry-layer,scripts,test,client}/**/*.test.ts', {
    cwd: root,
  }).filter((file) => !file.endsWith('.system.test.ts'));

  expect(unit.length).toBeGreaterThan(0);
  const starting = unit.filter((file) => [...withImports(file)].some((found) => starters.includes(found)));
  expect(starting).toEqual([]);
});
