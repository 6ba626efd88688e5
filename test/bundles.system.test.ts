/** The output of `npm run build`: the figures that a cold start depends on. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routes } from '../functions/routes.ts';
import { bundleOptions, functionId, functionsFolder } from '../scripts/build.ts';
import { chains } from '../shared/chains.ts';
import { variables } from '../shared/platform/environment.ts';
import { coldStartOf } from './cold-start.ts';

const MAX_INIT_BYTES = 62_000;
/** The compiler of ajv makes functions of text, and TypeBox marks its schemas; nothing else does. */
const schemaCompiler = ['new Function', '~kind'];
/** Texts of the AWS SDK, of which only the signature is used. */
const awsSdk = ['aws-sdk', '@aws-crypto', 'S3Client'];

describe.each(routes)('the bundle of $name', ({ name, allSecrets, maxInitBytes = MAX_INIT_BYTES }) => {
  const folder = join(functionsFolder, functionId(name));

  it('loads no more at init than its route allows, and not undici', async () => {
    const { initBytes, loadsUndici } = await coldStartOf(folder);
    expect(initBytes).toBeGreaterThan(0);
    expect(initBytes).toBeLessThanOrEqual(maxInitBytes);
    expect(loadsUndici).toBe(false);
  });

  it('holds code of chains and secrets only if its route needs it, and no text for people about the environment', async () => {
    const text = await readFile(join(folder, 'index.mjs'), 'utf8');
    const mayAsk = Object.values(chains).some(({ rpcUrlSecret }) => allSecrets.includes(rpcUrlSecret));
    const described = Object.values(variables).filter(({ description }) =>
      text.includes(description.slice(0, 30)),
    );

    expect(text.includes('eth_chainId') && !mayAsk).toBe(false);
    expect(text.includes('secretsmanager:')).toBe(allSecrets.length > 0);
    expect(described).toEqual([]);
  });

  it('imports nothing that is not in it, and holds no schema compiler or AWS SDK', async () => {
    const unwanted = [...schemaCompiler, ...(name.startsWith('marketdata/') ? awsSdk : [])];
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.mjs'))) {
      const text = await readFile(join(folder, file), 'utf8');
      const imported = [...text.matchAll(/\bimport\(\s*["'`]([^"'`]+)/g)].map(([, target = '']) => target);
      const missing = imported.filter(
        (target) => !target.startsWith('node:') && !existsSync(join(folder, target)),
      );
      expect(missing, file).toEqual([]);
      expect(
        unwanted.filter((word) => text.includes(word)),
        file,
      ).toEqual([]);
    }
  });
});

describe('the test of a cold start', () => {
  async function coldStartOfText(text: string) {
    const folder = await mkdtemp(join(tmpdir(), 'marketdata-bundle-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'index.mjs'), text);
    await writeFile(join(folder, 'part.mjs'), 'export const part = 1;');
    return coldStartOf(folder);
  }

  it('notices undici', async () => {
    expect((await coldStartOfText("import 'node:http';")).loadsUndici).toBe(true);
  });

  it('counts static imports and not dynamic ones', async () => {
    const later = "export const later = () => import('./part.mjs');";
    const atOnce = "import './part.mjs';";
    expect(await coldStartOfText(later)).toMatchObject({ initBytes: later.length });
    expect(await coldStartOfText(atOnce)).toMatchObject({ initBytes: atOnce.length + 22 });
  });

  it('knows a schema compiler when it sees one', async () => {
    // A route that the build does not replace by its compiled form brings both along.
    const route = join(import.meta.dirname, '../functions/marketdata/ticker/route.ts');
    const { outputFiles } = await build({
      ...bundleOptions,
      plugins: [],
      entryPoints: [route],
      outdir: '.',
      write: false,
    });
    for (const word of schemaCompiler) expect(outputFiles.map(({ text }) => text).join()).toContain(word);
  });
});
