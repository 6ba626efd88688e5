import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runProgram } from './program.ts';

const root = join(import.meta.dirname, '../..');

/** A checkout with a program that prints a word, which lies in a file of its own. */
function checkout() {
  const folder = mkdtempSync(join(inject('runFolder'), 'checkout-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ['client/cli/bin', 'client/cli/launch.mjs', 'scripts/build/cli-bundle.ts'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules/esbuild'), join(folder, 'node_modules/esbuild'));
  const write = (path: string, text: string, isOld = true) => {
    writeFileSync(join(folder, path), text);
    // A file that was written in the millisecond of a build counts as edited meanwhile.
    if (isOld) utimesSync(join(folder, path), new Date(), new Date(Date.now() - 10_000));
  };
  const say = (word: string, isOld?: boolean) =>
    write('client/cli/word.ts', `export const word: string = '${word}';\n`, isOld);
  write('package.json', '{ "type": "module" }\n');
  write('package-lock.json', '{}\n');
  write(
    'client/cli/run.ts',
    `import { word } from './word.ts';
export async function run(program: string, repository?: string): Promise<void> {
  const kind = import.meta.url.endsWith('.ts') ? 'source' : 'bundle';
  console.log(kind, program, word, repository);
}
`,
  );
  say('first');
  const start = async () => {
    const { stdout, stderr } = await runProgram('cprice', [], { folder: join(folder, 'client/cli/bin') });
    return (stdout + stderr).trim();
  };
  const cache = join(folder, 'node_modules/.cache/cli');
  const bundles = () => readdirSync(cache).filter((name) => name.startsWith('build-'));
  return { folder, cache, start, say, bundles };
}

test('the programs of a checkout run a bundle that is built once', async () => {
  const { folder, start, bundles } = checkout();
  expect(await start()).toBe(`bundle cprice first ${folder}/`);
  expect(await start()).toBe(`bundle cprice first ${folder}/`);
  expect(bundles()).toHaveLength(1);
});

test('an edited source is never run from an older bundle', async () => {
  const { start, say, bundles } = checkout();
  await start();
  say('second', false);
  expect(await start()).toMatch(/cprice second/);
  say('third');
  expect(await start()).toMatch(/^bundle cprice third/);
  expect(bundles().length).toBeGreaterThan(1);
});

test('programs that start at the same time do not break each other', async () => {
  const { start } = checkout();
  for (const output of await Promise.all([start(), start(), start()]))
    expect(output).toMatch(/^bundle cprice first/);
});

test('if bundling fails, the source runs and shows its own errors', async () => {
  const { folder, cache, start, say } = checkout();
  mkdirSync(join(folder, 'node_modules/.cache'));
  writeFileSync(cache, 'no folder');
  expect(await start()).toMatch(/^source cprice first/);
  say("' +");
  expect(await start()).toContain('word.ts:1');
});
