import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../functions/routes.ts';
import { type LocalService, startLocalService } from '../local/service.ts';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const documents = globSync(['*.md', '{docs,registry-layer}/**/*.md'], { cwd: root });
const text = (file: string) => readFileSync(join(root, file), 'utf8');
/** From a folder at the root on; a placeholder such as `<protocol>` ends it. */
const PATH_IN_TEXT =
  /(?<![\w./-])(?:\.github|bench|client|docs|functions|infra|local|registry-layer|scripts|shared|test)\/(?:[\w.-]+\/)*[\w.-]*\w/g;
const documented = routes.filter(({ path, isPage }) => path !== '$default' && !isPage);

describe('the documents', () => {
  it.each(documents)('%s names only npm scripts that exist', (file) => {
    const named = [...text(file).matchAll(/(?:`|^)npm (?:run )?([a-z]+)/gm)].map(([, name = '']) => name);
    const builtIn = ['ci', 'install', 'pack', 'run'];
    expect(named.filter((name) => !(name in manifest.scripts) && !builtIn.includes(name))).toEqual([]);
  });

  it.each(documents)('%s links only to files that exist', (file) => {
    const links = [...text(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(join(root, file, '..', target)))).toEqual([]);
  });

  it.each(documents)('%s names only paths of the repository that exist', (file) => {
    const named = [...text(file).matchAll(PATH_IN_TEXT)].map(([path]) => path);
    // The endpoint and the protocol that are added as examples are not there.
    const isExample = (path: string) => /^functions\/(time|toll)\//.test(path);
    expect(named.filter((path) => !isExample(path) && !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('examples, asked of the local service,', () => {
  let service: LocalService;
  beforeAll(async () => {
    const provider = { mode: 'simulated' } as const;
    // Some routes answer from the snapshot alone.
    service = await startLocalService({ quiet: true, provider, store: { history: true } });
  });
  afterAll(() => service.close());

  const curls = documents.flatMap((file) =>
    [...text(file).matchAll(/curl (?:-\S+ )*'?http:\/\/localhost:3000([^'\s]*)(.*)/g)]
      .filter(([, , rest = '']) => !rest.includes(' -d ')) // test/contract/protocols.system.test.ts asks those
      .map(([, path = '']) => path),
  );
  const reads = documented.filter((route) => route.method === 'GET' && route.allSecrets.length === 0);
  const { paths } = JSON.parse(text('docs/openapi.json'));
  /** The curl samples of the API reference. */
  const examples = reads
    .flatMap(({ adapter, path }) => adapter?.routes.map((own) => own.path) ?? [path])
    .map((path) => paths[path].get['x-codeSamples'][0].source)
    .map(
      (source) =>
        /^curl 'http:\/\/localhost:3000(\S+)' \\\n {2}-H "x-api-key: \$API_KEY"$/.exec(source)?.[1] ?? source,
    );

  it.each([...new Set([...curls, ...examples])])('%s answers 200', { timeout: 30_000 }, async (path) => {
    // While other tests keep the machine busy, a new process may not have the snapshot in time, which is a 503.
    const status = async () => (await fetch(service.url + path)).status;
    await expect.poll(status, { timeout: 20_000, interval: 1_000 }).toBe(200);
  });
});
