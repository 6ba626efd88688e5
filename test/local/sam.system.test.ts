/** Does what `sam local invoke` does with the files that README.md names, apart from the container. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stageConfig } from '../../infra/config.ts';
import { MarketDataStack } from '../../infra/stack.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { readTemplate } from '../../local/template.ts';
import { isRecord } from '../../shared/platform/is-record.ts';
import { newApp } from '../infra/synthesized.ts';

const text = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const [, name = '', templateFile = '', eventFile = '', environmentFile = ''] =
  /sam local invoke (\S+) --template (\S+) \\\n\s+--event (\S+) --env-vars (\S+)/.exec(
    text('docs/operations.md'),
  ) ?? [];
const { Parameters: overrides } = JSON.parse(text(environmentFile));

/** Stage dev, as `npm run synth` makes it from the build. */
function synthesize() {
  const app = newApp();
  new MarketDataStack(app, basename(templateFile, '.template.json'), {
    stage: 'dev',
    config: stageConfig('dev'),
  });
  const { directory } = app.synth();
  const { Resources } = JSON.parse(readFileSync(join(directory, basename(templateFile)), 'utf8'));
  const fn = readTemplate(directory).functions.find((one) => one.name === name);
  if (!fn) throw new Error(`docs/operations.md invokes ${name}, which is not in the template`);
  return { resources: Resources, fn };
}

/** A reference to a resource is its logical id, a joined text is joined, and nothing else is resolved. */
function resolved(value: unknown): string {
  if (!isRecord(value)) return String(value);
  if (typeof value.Ref === 'string') return value.Ref;
  const join = value['Fn::Join'];
  return Array.isArray(join) ? join[1].map(resolved).join(join[0]) : '';
}

/** The file changes variables of the template and adds none (samcli/local/lambdafn/env_vars.py of the AWS SAM CLI). */
function environmentOf(variables: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, overrides[name] ?? resolved(value)]),
  );
}

const invoke = `
  const { handler } = await import(process.argv[1]);
  const answer = await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 10_000 });
  console.log(JSON.stringify(answer));
  process.exit(0);`;

let provider: SimulatedSource;
let synthesized: ReturnType<typeof synthesize>;
let environment: Record<string, string>;
beforeAll(async () => {
  provider = (await startSimulated()).provider;
  synthesized = synthesize();
  environment = environmentOf(synthesized.resources[synthesized.fn.id].Properties.Environment.Variables);
});
afterAll(() => provider.close());

it('the shipped environment leaves no secret unresolved, and no table or bucket that is nowhere', () => {
  const unresolved = Object.entries(environment).filter(
    ([, value]) => value.includes('{{resolve:') || value in synthesized.resources,
  );
  expect(unresolved).toEqual([]);
});

it('the shipped event is answered with a price', async () => {
  const { codeFolder, layerFolders } = synthesized.fn;
  const env = {
    ...environment,
    METRICS: 'off',
    // In the container the layer is at its place, and the provider is the live one.
    REGISTRY_PATH: join(layerFolders[0] ?? '', 'registry'),
    COINPAPRIKA_BASE_URL: provider.url,
  };
  const args = ['--input-type=module', '--eval', invoke, join(codeFolder, 'index.mjs'), text(eventFile)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const answer = JSON.parse(stdout);

  expect(answer.statusCode, answer.body).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ success: true, data: { id: 'btc-bitcoin' } });
});
