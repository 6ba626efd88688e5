import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../functions/routes.ts';
import { type LocalService, startLocalService } from '../local/service.ts';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const documents = globSync(['*.md', '{docs,registry-layer}/**/*.md'], { cwd: root });
const text = (file: string) => readFileSync(join(root, file), 'utf8');
/** A path from a folder at the root on; a placeholder such as `<protocol>` ends it. */
const PATH_IN_TEXT =
  /(?<![\w./-])(?:\.github|bench|client|docs|functions|infra|local|registry-layer|scripts|shared|test)\/(?:[\w.-]+\/)*[\w.-]*\w/g;
const documented = routes.filter(({ path, isPage }) => path !== '$default' && !isPage);

it('the documents name only npm scripts, links and paths that exist', () => {
  const builtIn = ['ci', 'install', 'pack', 'run'];
  // The examples of what can be added are not there.
  const isExample = (path: string) =>
    /^functions\/(time|toll|marketdata\/jobs\/heartbeat)\/|^(shared|local|test)\/.*\/(meridian|assay)\./.test(
      path,
    );
  const wrongIn = (file: string) => {
    const matches = (pattern: RegExp) =>
      [...text(file).matchAll(pattern)].map(([whole, name]) => name ?? whole);
    const scripts = matches(/(?:`|^)npm (?:run )?([a-z]+)/gm);
    const links = matches(/\]\((?!https?:|#)([^)#]+)/g);
    return [
      ...scripts.filter((name) => !(name in manifest.scripts) && !builtIn.includes(name)),
      ...links.filter((target) => !existsSync(join(root, file, '..', target))),
      ...matches(PATH_IN_TEXT).filter((path) => !isExample(path) && !existsSync(join(root, path))),
    ].map((name) => `${file}: ${name}`);
  };
  expect(documents.length).toBeGreaterThan(10);
  expect(documents.flatMap(wrongIn)).toEqual([]);
});

describe('with the local service', () => {
  let service: LocalService;
  beforeAll(async () => {
    // Some routes answer from the snapshot alone, some commands from a chain.
    const env = { UPSTREAM_TIMEOUT_MS: '5000' };
    const provider = { mode: 'simulated' } as const;
    service = await startLocalService({
      quiet: true,
      provider,
      env,
      chain: 'local',
      store: { history: true },
    });
  });
  afterAll(() => service.close());

  const commandsOf = (file: string) =>
    [...text(file).matchAll(/^curl .+ -d '\{.+$/gm)].map(([command]) => command);
  const curls = documents.flatMap((file) =>
    [...text(file).matchAll(/curl (?:-\S+ )*'?http:\/\/localhost:3000([^'\s]*)(.*)/g)]
      .filter(([, , rest = '']) => !rest.includes(' -d '))
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

  it.each([...new Set([...curls, ...examples])])(
    'the example %s answers 200',
    { timeout: 30_000 },
    async (path) => {
      // While other tests keep the machine busy, a new process may not have the snapshot in time, which is a 503.
      const status = async () => (await fetch(service.url + path)).status;
      await expect.poll(status, { timeout: 20_000, interval: 1_000 }).toBe(200);
    },
  );

  it.each(['docs/api.md', 'docs/protocols.md'])(
    'the commands of %s work in their order',
    {
      timeout: 60_000,
    },
    async (file) => {
      for (const command of commandsOf(file)) {
        const { stdout, stderr } = await promisify(execFile)(
          'sh',
          ['-c', command.replace('http://localhost:3000', service.url)],
          { cwd: root, env: { ...process.env, CHAIN: service.chain?.url } },
        );
        expect(`${stdout}${stderr}`, command).toMatch(
          command.includes('wallet')
            ? /^0x70997970C51812dc3A010C7d01b50e0d17dc79C8 sent 0x/
            : /^\{"success":true,/,
        );
      }
    },
  );
});
