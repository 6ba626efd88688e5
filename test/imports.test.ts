import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Imports between files of the project, as paths from the root; tests may reach anywhere. */
const imports: Import[] = globSync('{functions,shared,infra,local,client,registry-layer}/**/*.ts', {
  cwd: root,
})
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, target = '']) => ({
      from: file,
      to: relative(root, join(root, dirname(file), target)),
    })),
  );

function importsFrom(folders: readonly string[]): Import[] {
  return imports.filter(({ from }) => folders.some((folder) => from.startsWith(`${folder}/`)));
}

describe('import rules', () => {
  it('finds imports to check', () => {
    expect(imports).toContainEqual({
      from: 'functions/marketdata/ticker/handler.ts',
      to: 'shared/endpoint.ts',
    });
  });

  it('lets shared import nothing but shared', () => {
    const allowed = (to: string) => to.startsWith('shared/');
    expect(importsFrom(['shared']).filter(({ to }) => !allowed(to))).toEqual([]);
  });

  it('lets a function import shared, its own folder and the route table, and no other function', () => {
    const strangers = importsFrom(['functions'])
      .filter(({ from }) => from !== 'functions/routes.ts')
      .filter(({ from, to }) => {
        const own = `${dirname(from)}/`;
        return !to.startsWith('shared/') && !to.startsWith(own) && to !== 'functions/routes.ts';
      });
    expect(strangers).toEqual([]);
  });

  it('lets the infrastructure, the local service and the client import routes but no handler', () => {
    const handlers = importsFrom(['infra', 'local', 'client']).filter(
      ({ to }) => to.startsWith('functions/') && !/(^functions\/routes|\/route)\.ts$/.test(to),
    );
    expect(handlers).toEqual([]);
  });
});
