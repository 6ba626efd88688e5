import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { domains } from '../functions/domains.ts';

const root = join(import.meta.dirname, '..');
const folders = '{functions,shared,infra,http-api,local,server,client,registry-layer,scripts}';
/** Tests and their kits may reach anywhere. */
const isTest = (file: string) => /\.(test|testing)\.tsx?$|\/fixtures\//.test(file);
/** Written from the table, of the domains that are in it. */
const isGenerated = (file: string) => file === 'client/sdk/routes.ts';
const files = globSync([`${folders}/**/*.{ts,tsx}`, 'test/**/*.ts'], { cwd: root })
  .filter((file) => !file.startsWith('client/sdk/dist/')) // the packed client, where it has been built
  .sort();
const code = files.filter((file) => !isTest(file) && !file.startsWith('test/'));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import, of types too. */
const imports: Import[] = code.flatMap((from) =>
  [...textOf(from).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => ({
    from,
    to: normalize(join(dirname(from), target)),
  })),
);

/** The imports that are left at run time, as the bundler sees them. */
async function runTimeImports(): Promise<Import[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: code,
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outdir: 'nowhere',
    loader: { '.svg': 'empty', '.css': 'empty' },
  });
  return Object.entries(metafile.inputs).flatMap(([from, { imports }]) =>
    imports.filter(({ external }) => !external).map(({ path }) => ({ from, to: path })),
  );
}

/** One way round for each node that can be reached from itself. */
function circles(edges: readonly Import[]): string[] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const wayBack = (start: string): string[] | undefined => {
    const ways = [[start]];
    const seen = new Set<string>();
    for (const way of ways) {
      for (const { to } of next.get(way.at(-1) ?? '') ?? []) {
        if (to === start) return [...way, to];
        if (!seen.has(to)) ways.push([...way, to]);
        seen.add(to);
      }
    }
    return undefined;
  };
  return [...inCircles(edges)].flatMap((node) => wayBack(node)?.join(' → ') ?? []);
}

/** The nodes that are left when those that import none of the others are taken away again and again. */
function inCircles(edges: readonly Import[]): Set<string> {
  for (let left = edges; ; ) {
    const importing = new Set(left.map(({ from }) => from));
    const kept = left.filter(({ to }) => importing.has(to));
    if (kept.length === left.length) return importing;
    left = kept;
  }
}

/** Imports between two folders with the same parent, at whatever depth the two paths part. */
function betweenSiblings(edges: readonly Import[]): Import[] {
  return edges.flatMap(({ from, to }) => {
    const [a, b] = [from.split('/'), to.split('/')];
    const depth = a.findIndex((part, index) => part !== b[index]);
    // A file beside the folder is no sibling of it.
    if (depth < 0 || a.length === depth + 1 || b.length === depth + 1) return [];
    return [{ from: a.slice(0, depth + 1).join('/'), to: b.slice(0, depth + 1).join('/') }];
  });
}

const importsFrom = (...layers: readonly string[]) =>
  imports.filter(({ from }) => layers.some((layer) => from.startsWith(`${layer}/`)));
const isTable = (path: string) => /^functions\/\w+\.ts$/.test(path);
const domainOf = (path: string) => /^functions\/(\w+)\//.exec(path)?.[1];
/** Its tools are the handlers of other domains' routes, called as any caller does. */
const TOOLS_DOMAIN = 'mcp';
const isTool = ({ from, to }: Import) =>
  domainOf(from) === TOOLS_DOMAIN && domainOf(to) !== undefined && /\/(route|handler)\.ts$/.test(to);

describe('imports', () => {
  it('are found', () => {
    expect(imports).toContainEqual({
      from: 'functions/marketdata/ticker/handler.ts',
      to: 'shared/http/endpoint.ts',
    });
  });

  it('are never of tests or of what tests share (`*.testing.ts`)', () => {
    expect(imports.filter(({ to }) => isTest(to))).toEqual([]);
  });

  it('of shared code are of shared code alone', () => {
    expect(importsFrom('shared').filter(({ to }) => !to.startsWith('shared/'))).toEqual([]);
  });

  it('are never of the server', () => {
    expect(imports.filter(({ from, to }) => to.startsWith('server/') && !from.startsWith('server/'))).toEqual(
      [],
    );
  });

  it('of the HTTP side, which server and emulator share, are of shared code alone', () => {
    const own = importsFrom('http-api').filter(({ to }) => !/^(http-api|shared)\//.test(to));
    expect(own).toEqual([]);
  });

  it('of a domain are its own, shared code, the tables, the builder of the registry, and tools', () => {
    const strangers = importsFrom('functions').filter(
      ({ from, to }) =>
        !isTable(from) &&
        !isTable(to) &&
        !isTool({ from, to }) &&
        !/^(shared|registry-layer)\//.test(to) &&
        domainOf(from) !== domainOf(to),
    );
    expect(strangers).toEqual([]);
  });

  it('of a domain from outside are its routes and its description', () => {
    const intruders = imports.filter(
      ({ from, to }) =>
        domainOf(to) !== undefined &&
        domainOf(from) !== domainOf(to) &&
        !isTool({ from, to }) &&
        !/\/(route|domain)\.ts$/.test(to),
    );
    expect(intruders).toEqual([]);
  });

  it('of the domain whose tools are other domains’ routes are in its table alone', () => {
    const outward = importsFrom(`functions/${TOOLS_DOMAIN}`).filter(isTool);
    const others = outward.filter(({ to }) => domainOf(to) !== TOOLS_DOMAIN);
    expect([...new Set(others.map(({ from }) => from))]).toEqual([`functions/${TOOLS_DOMAIN}/tools.ts`]);
    const users = imports.filter(
      ({ from, to }) => domainOf(to) === TOOLS_DOMAIN && domainOf(from) !== TOOLS_DOMAIN,
    );
    expect(users.map(({ from }) => from)).toEqual(['functions/domains.ts']);
  });

  it('of the tables are descriptions', () => {
    const tables = imports.filter(({ from, to }) => isTable(from) && domainOf(to) !== undefined);
    expect(tables.map(({ to }) => to).sort()).toEqual(
      domains.map(({ name }) => `functions/${name}/domain.ts`).sort(),
    );
  });

  it('go in no circle at run time, neither between files nor between folders of one parent', {
    timeout: 60_000,
  }, async () => {
    const edges = await runTimeImports();

    expect(edges.length).toBeGreaterThan(500);
    expect(circles(edges)).toEqual([]);
    expect(circles(betweenSiblings(edges))).toEqual([]);
  });
});

describe('a domain that speaks to a chain', () => {
  const protocols = domains.filter(({ routes }) => routes.some(({ allSecrets }) => allSecrets.length > 0));

  it.each(protocols)('$name is named nowhere outside its folder but in the table', (domain) => {
    const { name, routes, counts = [], alarms = [] } = domain;
    const words = [
      `functions/${name}/`,
      ...routes.map((route) => `'${route.name}'`),
      ...counts,
      ...alarms.map((alarm) => alarm.name),
    ];
    const isItsOwn = (file: string) => file.includes(`/${name}/`) || isTable(file) || isGenerated(file);
    // A path may be the beginning of others.
    const asks = (text: string, { path }: { readonly path: string }) =>
      text.split(path).some((rest, index) => index > 0 && !rest.startsWith('/'));
    const naming = files.filter((file) => {
      if (isItsOwn(file)) return false;
      const text = textOf(file);
      return words.some((word) => text.includes(word)) || routes.some((route) => asks(text, route));
    });
    expect(naming).toEqual([]);
  });
});
