import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../scripts/build.ts';

const scripts = new Map<string, Promise<string>>();

/**
 * One run of a job as one script, for the standard input of `node --input-type=module -`: with the sources, each process would
 * strip the types of some two hundred files.
 */
export function jobScript(job: string): Promise<string> {
  const script = scripts.get(job) ?? bundled(job);
  scripts.set(job, script);
  return script;
}

async function bundled(job: string): Promise<string> {
  const { outputFiles } = await build({
    ...bundleOptions,
    plugins: [], // they are for folders of functions, and write files
    splitting: false,
    write: false,
    stdin: {
      contents: `import { handler } from './${job}/handler.ts'; await handler();`,
      resolveDir: join(import.meta.dirname, '../functions/marketdata/jobs'),
    },
  });
  return outputFiles.map(({ text }) => text).join();
}
