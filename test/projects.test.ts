import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { version } from '../shared/platform/version.ts';

const root = join(import.meta.dirname, '..');
const folders = '{functions,shared,infra,http-api,local,server,registry-layer,scripts,test,client}';
/** No unit test may import these, which start processes or take seconds. */
const heavy = [
  'local/container.ts',
  'local/dynamodb.ts',
  'local/evm/anvil.ts',
  'test/browser/headless.ts',
  'test/infra/synthesized.ts',
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

it('a test that starts processes or simulates days says so by its name', () => {
  const unit = globSync(`${folders}/**/*.test.ts`, { cwd: root }).filter(
    (file) => !/\.(simulation|system|long)\.test\.ts$/.test(file) && !file.startsWith('test/clients/'),
  );

  expect(unit.length).toBeGreaterThan(100);
  const slow = unit.filter((file) => [...withImports(file)].some((found) => heavy.includes(found)));
  expect(slow).toEqual([]);
});

it('the version that the code names is that of package.json', () => {
  expect(version).toBe(manifest.version);
});
