/** A small cloud assembly of our own: the local service's tests need neither the real handlers nor a synth. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LocalServiceOptions, startLocalService } from '../../local/service.ts';

export interface FixtureFunction {
  /** Source of `index.mjs`; by default `echoSource`. */
  readonly code?: string;
  /** In seconds; by default more than a busy machine needs. */
  readonly timeout?: number;
  readonly environment?: Record<string, unknown>;
  /** File name → content of a layer. */
  readonly layer?: Record<string, string>;
}

export interface Fixture {
  /** Route key → function. */
  readonly routes: Record<string, string>;
  readonly functions: Record<string, FixtureFunction>;
  readonly cors?: object;
  readonly integrationTimeoutMs?: number;
}

/** Returns the event as its body. */
export const echoSource = `export const handler = async (event) => event;`;

/** Does what the query says, and returns in which process, at which event. */
export const obedientSource = `
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
let events = 0;
export const handler = async (event, context) => {
  events++;
  const { sleep: ms, until, exit, reject, throw: text, answer } = event.queryStringParameters ?? {};
  const startedAt = Date.now();
  if (ms) await sleep(Number(ms));
  while (until && !existsSync(until)) await sleep(10);
  if (exit) process.exit(Number(exit));
  if (reject) { Promise.reject(new Error(reject)); await sleep(1000); }
  if (text) throw new Error(text);
  if (answer) return JSON.parse(answer);
  return { pid: process.pid, events, startedAt, endedAt: Date.now() };
};`;

/** Writes the assembly into a temporary folder that goes away with the test. */
export async function writeAssembly(fixture: Fixture, stack = 'fixture'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'marketdata-fixture-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const resources: Record<string, object> = {
    Api: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: { ProtocolType: 'HTTP', ...(fixture.cors && { CorsConfiguration: fixture.cors }) },
    },
  };
  for (const [id, fn] of Object.entries(fixture.functions)) {
    const { code = echoSource, timeout = 60, environment, layer } = fn;
    await writeFiles(join(folder, `asset.${id}`), { 'index.mjs': code });
    if (layer) {
      await writeFiles(join(folder, `asset.${id}Layer`), layer);
      resources[`${id}Layer`] = {
        Type: 'AWS::Lambda::LayerVersion',
        Properties: { Content: { S3Key: `${id}Layer.zip` } },
      };
    }
    resources[id] = {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        MemorySize: 128,
        Timeout: timeout,
        Environment: environment && { Variables: environment },
        Layers: layer && [{ Ref: `${id}Layer` }],
      },
      Metadata: { 'aws:asset:path': `asset.${id}` },
    };
  }
  for (const [index, [key, id]] of Object.entries(fixture.routes).entries()) {
    resources[`Integration${index}`] = {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: { 'Fn::GetAtt': [id, 'Arn'] },
        PayloadFormatVersion: '2.0',
        TimeoutInMillis: fixture.integrationTimeoutMs,
      },
    };
    resources[`Route${index}`] = {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: key,
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: `Integration${index}` }]] },
      },
    };
  }
  const artifact = {
    type: 'aws:cloudformation:stack',
    properties: { templateFile: 'fixture.template.json' },
  };
  await writeFiles(folder, {
    'manifest.json': JSON.stringify({ artifacts: { [stack]: artifact } }),
    'fixture.template.json': JSON.stringify({ Resources: resources }),
  });
  return folder;
}

/** Starts the service on a fixture, and ends it with the test. */
export async function serveFixture(
  fixture: Fixture,
  options: Partial<LocalServiceOptions> = {},
  stack?: string,
) {
  const lines: string[] = [];
  const service = await startLocalService({
    routes: [],
    log: (line) => lines.push(line),
    ...options,
    assembly: await writeAssembly(fixture, stack),
    // Named, so that no request goes to the live provider.
    env: { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1', ...options.env },
  });
  onTestFinished(() => service.close());
  return { ...service, lines };
}

/** One function behind `$default` that does what the query asks for. */
export function obedient(fn: FixtureFunction = {}): Fixture {
  return { routes: { $default: 'Obedient' }, functions: { Obedient: { code: obedientSource, ...fn } } };
}

/** Status and parsed body. */
export async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) };
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}
