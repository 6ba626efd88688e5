/** Changes to the bundler's output for which it has no option. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';

type File = Pick<OutputFile, 'path' | 'text'>;

const CORE = 'core.mjs';

/** Writes a bundle's files for a fast cold start. Unminified files, for a debugger, stay unchanged. */
export function fasterColdStart(): Plugin {
  return {
    name: 'faster-cold-start',
    setup({ initialOptions, onEnd }) {
      initialOptions.write = false;
      initialOptions.metafile = true;
      onEnd(async ({ outputFiles = [], metafile }) => {
        const files =
          metafile && initialOptions.minify ? await mergedChunks(outputFiles, metafile) : outputFiles;
        await Promise.all(
          files.map(async ({ path, text }) => {
            await mkdir(dirname(path), { recursive: true });
            await writeFile(path, path.endsWith('.map') ? text : withoutImports(text));
          }),
        );
      });
    },
  };
}

/**
 * Loads Node's own modules through `process.getBuiltinModule` instead of `import`: an ES import of `node:http`
 * evaluates every getter of that module and so loads the whole of undici (43 ms and 6 MB on Node 24), and `@middy/util`
 * has one. `import d,{a as b}from"node:x"` and similar forms are replaced in the finished files, because a wrapper
 * module would become a file of its own, which costs a cold start half a millisecond.
 */
function withoutImports(code: string): string {
  return code.replace(
    /\bimport\s*([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*from\s*"(node:[\w/]+)";?/g,
    (_statement, whole?: string, namespace?: string, names?: string, module?: string) => {
      const source = `process.getBuiltinModule("${module}")`;
      const targets = [whole, namespace, names && `{${names.replace(/\s+as\s+/g, ':')}}`].filter(Boolean);
      return `const ${targets.map((target) => `${target}=${source}`).join(',')};`;
    },
  );
}

/**
 * Joins the chunks that a bundle loads at init into one file: the bundler makes one for each set of modules shared by
 * the same files, and a cold start pays 0.6 ms for each, however small.
 */
async function mergedChunks(files: readonly File[], { outputs }: Metafile): Promise<readonly File[]> {
  const named = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const chunks = chunksOf('index.mjs', named);
  if (chunks.length < 2) return files;
  const contents = new Map(files.map((file) => [basename(file.path), file]));
  const { outputFiles } = await build({
    stdin: {
      contents: chunks
        .map((name, number) => exportsOf(name, named.get(name)?.exports ?? [], number))
        .join('\n'),
      resolveDir: '/',
    },
    bundle: true,
    format: 'esm',
    platform: 'node', // for browsers, NODE_ENV would be fixed to `production`
    minify: true,
    write: false,
    outfile: CORE,
    plugins: [
      {
        name: 'chunks',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /./ }, ({ path, kind }) => {
            const name = basename(path);
            if (kind === 'entry-point') return undefined;
            return chunks.includes(name) ? { path: name, namespace: 'chunk' } : { path, external: true };
          });
          onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({
            contents: contents.get(path)?.text ?? '',
          }));
        },
      },
    ],
  });
  const [core] = outputFiles;
  const index = contents.get('index.mjs');
  if (!core || !index) throw new Error('The bundler made no file');
  const kept = files.filter(({ path }) => !chunks.includes(basename(path)));
  const path = index.path.replace(/index\.mjs$/, CORE);
  return [
    ...kept.map((file) => ({ path: file.path, text: importingCore(file.text, chunks) })),
    { path, text: core.text },
  ];
}

/** The chunks that a file imports statically, directly or indirectly. */
function chunksOf(name: string, outputs: ReadonlyMap<string, Metafile['outputs'][string]>): string[] {
  const found = new Set<string>();
  const look = (file: string) => {
    for (const { path, kind } of outputs.get(file)?.imports ?? []) {
      const chunk = basename(path);
      if (kind !== 'import-statement' || !outputs.has(chunk) || found.has(chunk)) continue;
      found.add(chunk);
      look(chunk);
    }
  };
  look(name);
  return [...found];
}

function exportsOf(chunk: string, names: readonly string[], number: number): string {
  const renamed = names.map((name) => `${name} as ${name}_${number}`);
  return `export { ${renamed.join(', ')} } from './${chunk}';`;
}

/** `import{a as b}from"./chunk-X.mjs"` → the same from the core; the bundler writes no other form. */
function importingCore(code: string, chunks: readonly string[]): string {
  return code.replace(
    /\bimport(?:\{([^}]*)\}from)?"\.\/([^"]+)";?/g,
    (statement, names: string | undefined, chunk) => {
      const number = chunks.indexOf(chunk);
      if (number < 0) return statement;
      const renamed = (names ?? '')
        .split(',')
        .filter(Boolean)
        .map((pair) => {
          const [name = '', local = name] = pair.split(' as ');
          return `${name}_${number} as ${local}`;
        });
      return `import{${renamed.join()}}from"./${CORE}";`;
    },
  );
}
