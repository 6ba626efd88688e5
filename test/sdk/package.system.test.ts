/** What `npm pack` makes of client/sdk, as a project of somebody else has it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as sdk from '../../client/sdk/index.ts';
import { routes } from '../../functions/routes.ts';
import { methodRoutes, namesOf } from '../../scripts/generate/sdk.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { version } from '../../shared/platform/version.ts';
import { type Service, startService } from '../contract/service.ts';

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { 'x-codeSamples': { lang: string; source: string }[] }>>>
  >;
}

const root = join(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'marketdata-sdk-'));
const installed = join(project, 'node_modules/marketdata-client');
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(() => {
  const env = { ...process.env, npm_config_cache: join(project, 'cache'), npm_config_offline: 'true' };
  const pack = ['pack', '--silent', '--pack-destination', project];
  execFileSync('npm', pack, { cwd: join(root, 'client/sdk'), env });
  mkdirSync(installed, { recursive: true });
  const archive = join(project, `marketdata-client-${version}.tgz`);
  execFileSync('tar', ['xzf', archive, '--strip-components=1', '-C', installed]);
});

describe('the package', () => {
  it('needs no other package', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'marketdata-client', version });
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  const program = `
    import { ApiFailure, createClient, type MarketdataTickerData, rpcTransport } from 'marketdata-client';

    const client = createClient({ baseUrl: 'https://example.com', apiKey: async () => 'key', retry: { tries: 2 } });
    export async function price(id: string, signal: AbortSignal): Promise<number | null> {
      const { data, quality, dataTime } = await client.marketdata.ticker({ id }, { signal });
      const ticker: MarketdataTickerData = data;
      if (quality === 'stale') console.log(dataTime?.toISOString());
      return ticker.quotes.USD.price;
    }
    export const seconds = (error: unknown) => (error instanceof ApiFailure ? error.retryAfterSeconds : undefined);
    export const blocks: Promise<unknown> = rpcTransport(client, 'base').request({ method: 'eth_blockNumber' });
    // @ts-expect-error No such interval.
    void client.marketdata.ohlcv({ id: 'btc-bitcoin', interval: '5m' });
    // @ts-expect-error The id is missing.
    void client.marketdata.ticker({});
  `;
  const platforms = [
    ['a browser', { lib: ['ES2022', 'DOM'], types: [], module: 'ESNext', moduleResolution: 'Bundler' }],
    [
      'Node',
      {
        module: 'NodeNext',
        lib: ['ES2022'],
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        skipLibCheck: true,
      },
    ],
  ] as const;

  /** What the compiler says of files in a new project with these options, all checks on. */
  function compile(name: string, files: Readonly<Record<string, string>>, options: object): string {
    const folder = join(project, name);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...strict, target: 'ES2022', noEmit: true, ...options };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const tsc = join(root, 'node_modules/.bin/tsc');
    return spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout;
  }

  it.each(platforms)('is understood by a strict project for %s', { timeout: 60_000 }, (platform, options) => {
    expect(compile(platform, { 'program.ts': program }, options)).toBe('');
  });

  it('is used in the documents and in the samples of the API reference as its types allow', {
    timeout: 60_000,
  }, () => {
    const documents = ['client/sdk/README.md', 'docs/protocols.md'];
    const snippets = documents.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)]
        .map(([, text = '']) => text)
        .filter((text) => text.includes("'marketdata-client'")),
    );
    const { paths } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as Described;
    const samples = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .map((operation) => operation['x-codeSamples'].find(({ lang }) => lang === 'TypeScript')?.source ?? '');
    expect(snippets).toHaveLength(documents.length);
    expect(samples.filter((text) => text.includes('createClient('))).toHaveLength(
      methodRoutes(routes).length,
    );

    symlinkSync(join(root, 'node_modules/viem'), join(project, 'node_modules/viem'));
    const files = Object.fromEntries(
      [...snippets, ...samples].map((text, index) => [`sample-${index}.ts`, text]),
    );
    const [, [, node]] = platforms;
    expect(compile('samples', files, { ...node, lib: ['ES2022', 'DOM'] })).toBe('');
  });
});

describe('the packed client', () => {
  let service: Service;
  let client: sdk.Client;
  beforeAll(async () => {
    service = await startService({ chain: 'local', store: true, env: { UPSTREAM_TIMEOUT_MS: '8000' } });
    const { createClient }: typeof sdk = await import(pathToFileURL(join(installed, 'dist/index.js')).href);
    client = createClient({ baseUrl: service.local.url });
  });
  afterAll(() => service?.local.close());

  type Method = (input: object) => Promise<sdk.RatedAnswer<unknown>>;
  function methodOf(name: string): Method | undefined {
    const { domain, action } = namesOf(name);
    const methods = client as unknown as Record<string, Record<string, Method>>; // by any name
    return methods[domain]?.[action];
  }

  /** Fields of earlier answers of a domain, such as a request's id, which an example cannot know. */
  const answered: Record<string, object> = {};

  it.each(methodRoutes(routes))('calls $name as in its example', async (route) => {
    const { domain } = namesOf(route.name);
    const known: Record<string, unknown> = { ...answered[domain], ...route.example };
    const input = Object.fromEntries(
      route.parameters.filter(({ name }) => name in known).map(({ name }) => [name, known[name]]),
    );

    const answer = await methodOf(route.name)?.(input);

    expect(compileResponse(route.response)(answer?.data)).toEqual([]);
    const headers = Object.keys(route.responseHeaders ?? {});
    expect(answer).toMatchObject({
      ...(headers.includes('x-data-source') && { source: expect.stringMatching(/./) }),
      ...(headers.includes('x-data-time') && { dataTime: expect.any(Date) }),
      ...(headers.includes('x-data-quality') && { quality: expect.stringMatching(/./) }),
    });
    if (typeof answer?.data === 'object') answered[domain] = { ...answered[domain], ...answer.data };
  });

  it('fails with the words of the service', async () => {
    await expect(client.marketdata.ticker({ id: 'bitcoin' })).rejects.toMatchObject({
      name: 'ApiFailure',
      status: 404,
      isAnswer: true,
      message: expect.stringMatching(/^Unknown coin id: bitcoin\. Did you mean btc-bitcoin\?/),
    });
  });
});
