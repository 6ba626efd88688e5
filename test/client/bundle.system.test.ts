/** What the programs load when it is wanted may draw with Ink, which is made for newer Nodes and has CommonJS in it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledLicences } from '../../scripts/build/bundled-licences.ts';
import { bundleForTerminal } from '../../scripts/build/cli-bundle.ts';
import { nodes } from './node-versions.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'marketdata-bundle-'));
const outdir = join(folder, 'dist');
const entry = join(outdir, 'ink-fixture.mjs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let inputs: readonly string[];
beforeAll(async () => {
  const metafile = await bundleForTerminal(join(import.meta.dirname, 'ink-fixture.ts'), outdir);
  inputs = Object.keys(metafile.inputs);
});

test.each(Object.entries(nodes))('Ink draws out of a bundle on %s', async (_name, node) => {
  const { stdout, stderr } = await promisify(execFile)(node, [entry, 'drawn'], { env: { COLUMNS: '40' } });
  expect(stdout).toMatch(/^┌─+┐\n│drawn +│\n└─+┘\n$/);
  expect(stderr).toBe('');
});

test('it stays in files that are loaded when it is wanted, and React in its quick form', () => {
  expect(statSync(entry).size).toBeLessThan(2_000);
  const texts = readdirSync(outdir).map((file) => readFileSync(join(outdir, file), 'utf8'));
  expect(texts.join('').length).toBeGreaterThan(300_000);
  expect(inputs.filter((file) => file.includes('react/cjs/'))).toContain(
    'node_modules/react/cjs/react.production.js',
  );
  expect(inputs.filter((file) => /\.development\.js$/.test(file))).toEqual([]);
});

test('the licences of what is bundled go with it, each once', async () => {
  const licences = await bundledLicences(inputs, root);
  for (const name of ['ink', 'react', 'react-reconciler', 'yoga-layout']) {
    expect(licences).toMatch(new RegExp(`^(?:.*, )?${name}(?:, .*)?$`, 'm'));
  }
  const [first = ''] = readFileSync(join(root, 'node_modules/react/LICENSE'), 'utf8').trim().split('\n\n');
  expect(licences.split(first).length).toBeGreaterThan(1);
  expect(await bundledLicences(['client/cli/run.ts'], root)).toBe('');
});
