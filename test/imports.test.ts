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

function isTable(path: string): boolean {
  return /^functions\/\w+\.ts$/.test(path);
}

describe('import rules', () => {
  it('finds imports to check', () => {
    expect(imports).toContainEqual({
      from: 'functions/marketdata/ticker/handler.ts',
      to: 'shared/http/endpoint.ts',
    });
  });

  it('lets shared import nothing but shared', () => {
    const allowed = (to: string) => to.startsWith('shared/');
    expect(importsFrom(['shared']).filter(({ to }) => !allowed(to))).toEqual([]);
  });

  it('lets a domain import shared and the tables, and no other domain', () => {
    const domainOf = (path: string) => path.split('/')[1];
    const strangers = importsFrom(['functions'])
      .filter(({ from }) => !isTable(from))
      .filter(
        ({ from, to }) => to.startsWith('functions/') && !isTable(to) && domainOf(from) !== domainOf(to),
      );
    expect(strangers).toEqual([]);
  });

  it('lets the infrastructure, the local service and the client import routes but no handler', () => {
    const handlers = importsFrom(['infra', 'local', 'client']).filter(
      ({ to }) => to.startsWith('functions/') && !isTable(to) && !/\/(route|job|contract)\.ts$/.test(to),
    );
    expect(handlers).toEqual([]);
  });
});
