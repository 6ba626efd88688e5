/** The text in the terminal when the service is ready. */
import { relative } from 'node:path';
import { nodeEnvProblem } from '../shared/platform/environment.ts';
import { type ChosenProvider, providerName, settings } from './provider-choice.ts';
import type { LocalService } from './service.ts';
import type { Simulated } from './simulated/index.ts';
import { sourceNames } from './simulated/protocols.ts';
import type { LocalStore } from './store.ts';

interface Mode {
  readonly nodeEnv: string;
  readonly hasClientKey: boolean;
  readonly containers: number;
  readonly freeze: boolean;
  readonly hasPage: boolean;
  /** As `--fault` names them. */
  readonly faults: readonly string[];
}

/** Names the routes, the provider with its faults, the stage and the mode, and gives a request to try. */
export function readyText(
  service: Pick<
    LocalService,
    'url' | 'template' | 'provider' | 'shared' | 'store' | 'chain' | 'standIns' | 'inspected'
  >,
  mode: Mode,
): string {
  const { template, provider } = service;
  const [, stage] = /^marketdata-(\w+)$/.exec(template.stack) ?? [];
  const url = service.url.replace('127.0.0.1', 'localhost');
  const lines = ['', `Serving ${template.stack} on ${url}`, ''];
  for (const { key } of template.routes) {
    if (key.startsWith('HEAD ')) continue; // as each GET
    const [method = '', path = 'any other path'] = key === '$default' ? ['*'] : key.split(' ');
    lines.push(`  ${method.padEnd(5)} ${path}`);
  }
  lines.push('', `Provider  ${providerText(provider)}`);
  if (provider.simulated) lines.push(`Sources   ${sourcesText(provider.simulated)}`);
  if (mode.faults.length > 0) lines.push(`FAULTS    ${mode.faults.map(faultText).join(', ')}`);
  if (stage) lines.push(`Stage     ${stageText(stage)}`);
  lines.push(`Mode      ${modeText(mode)}`);
  if (mode.hasPage) lines.push(`Page      ${url}/`);
  if (service.shared) lines.push(`Shared    DynamoDB-compatible server on ${service.shared.dynamoDb.url}`);
  if (service.store) lines.push(`Store     ${storeText(service.store)}`);
  if (service.chain) lines.push(`Chain     local, ${service.chain.url} (docs/protocols.md)`);
  for (const name of service.standIns?.names ?? [])
    lines.push(`Stand-in  for the API of ${name}, whose answers are SIMULATED: its key is not set`);
  for (const { name, port } of service.inspected) lines.push(`Debugger  127.0.0.1:${port} ${name}`);
  const path = examplePath(template.routes.map(({ key }) => key));
  if (path)
    lines.push(`Try       curl ${needsKey(mode) ? '-H "x-api-key: $CLIENT_API_KEY" ' : ''}${url}${path}`);
  return `${lines.join('\n')}\n`;
}

function providerText({ kind, url, reason }: ChosenProvider): string {
  switch (kind) {
    case 'simulated':
      return `SIMULATED, these are not real prices (${url})${reason ? `\n          ${reason}; --live insists on real prices` : ''}`;
    case 'live':
      return `live, ${url}`;
    case 'given':
      return `${url}, as ${settings.baseUrl} says`;
  }
}

function sourcesText(simulated: Simulated): string {
  const others = sourceNames.filter((name) => name !== providerName);
  return `SIMULATED too: ${others.map((name) => simulated[name].url).join(', ')}`;
}

/** `lie=scaled` of nobody named is the provider's. */
function faultText(fault: string): string {
  return /^[a-z]+:/.test(fault) ? fault : `${providerName}:${fault}`;
}

function stageText(stage: string): string {
  return `${stage}${stage === 'local' ? ', with every route' : ''} (infra/config.ts)`;
}

function storeText({ folder, s3, bucket }: LocalStore): string {
  const place = folder === undefined ? 'in memory' : shortest(folder);
  return `${place}, as S3 on ${s3.url} (bucket ${bucket})`;
}

function shortest(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}

function needsKey({ nodeEnv }: Mode): boolean {
  return nodeEnv === 'production';
}

function modeText(mode: Mode): string {
  const processes = mode.containers === 1 ? 'one process' : `up to ${mode.containers} processes`;
  const text = `${mode.nodeEnv}, ${processes} per function${mode.freeze ? ', frozen between events' : ''}`;
  const problem = nodeEnvProblem(mode.nodeEnv);
  if (problem) return `${text}, no key needed\n          WARNING: ${problem}`;
  if (!needsKey(mode)) return `${text}, no key needed`;
  if (mode.hasClientKey) return `${text}, callers need x-api-key`;
  return `${text}
          WITHOUT CLIENT_API_KEY EVERY REQUEST GETS 500 Server configuration error. Set it:
          NODE_ENV=production CLIENT_API_KEY=some-key npm start`;
}

function examplePath(keys: readonly string[]): string | undefined {
  const path = keys.find((key) => key.startsWith('GET '))?.slice('GET '.length);
  return path?.replace('{id}', 'btc-bitcoin');
}
