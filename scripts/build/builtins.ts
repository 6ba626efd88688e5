import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';
import { mergedChunks } from './merged-chunks.ts';

/**
 * Takes Node's own modules through `process.getBuiltinModule` instead of `import`: an ES import of `node:http`
 * evaluates every getter of that module and so loads the whole of undici (43 ms and 6 MB on Node 24), and
 * `@middy/util` has one. The finished files are rewritten, because a module in between would become a file of its
 * own, which a cold start loads for half a millisecond.
 */
export function builtinsWithoutImport(): Plugin {
  return {
    name: 'builtins-without-import',
    setup({ initialOptions, onEnd }) {
      initialOptions.write = false;
      initialOptions.metafile = true;
      onEnd(async ({ outputFiles = [], metafile }) => {
        // A debugger takes the files as they are.
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

/** Replaces `import d,{a as b}from"node:x"` and its like; the bundler writes no other form. */
export function withoutImports(code: string): string {
  return code.replace(
    /\bimport\s*([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?\s*from\s*"(node:[\w/]+)";?/g,
    (_statement, whole?: string, namespace?: string, names?: string, module?: string) => {
      const source = `process.getBuiltinModule("${module}")`;
      const targets = [whole, namespace, names && `{${names.replace(/\s+as\s+/g, ':')}}`].filter(Boolean);
      return `const ${targets.map((target) => `${target}=${source}`).join(',')};`;
    },
  );
}
