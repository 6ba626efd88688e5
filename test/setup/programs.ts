import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { programs } from '../../client/cli/own-commands.ts';
import { bundleForTerminal } from '../../scripts/build/cli-bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the terminal programs, as the repository runs them but out of a bundle: `<program>.mjs`. */
    programs: string;
  }
}

const root = join(import.meta.dirname, '../..');

/** Bundled once for a run, the programs start in a third of the time that they take to strip the types of their source. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'marketdata-programs-'));
  await bundleForTerminal(join(root, 'client/cli/run.ts'), join(folder, 'dist'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const repository = JSON.stringify(`${root}/`);
  for (const program of programs) {
    const run = JSON.stringify(pathToFileURL(join(folder, 'dist/run.mjs')).href);
    writeFileSync(
      join(bin, `${program}.mjs`),
      `#!/usr/bin/env node\nimport { run } from ${run};\nawait run(${JSON.stringify(program)}, ${repository});\n`,
      { mode: 0o755 },
    );
  }
  project.provide('programs', bin);
  return () => rmSync(folder, { recursive: true, force: true });
}
