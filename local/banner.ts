/** The text in the terminal when the service is ready. */

import { relative } from 'node:path';
import { chains } from '../shared/chains.ts';
import { PAGE_PREFIX } from '../shared/http/page.ts';
import { nodeEnvProblem } from '../shared/platform/environment.ts';
import type { LocalEnvironment } from './function-environment.ts';
import type { Options } from './options.ts';
import { type ChosenProvider, providerName, settings } from './provider-choice.ts';
import type { LocalService } from './service.ts';
import { sourceNames } from './simulated/protocols.ts';

type Mode = Pick<Options, 'containers' | 'freeze' | 'faults' | 'assembly'>;

/** Indents a line below one with a name. */
const FURTHER = '\n          ';

/** Lists the routes, the provider with its faults, the stage and the mode, and an example request. */
export function readyText(service: LocalService, mode: Mode, env: LocalEnvironment): string {
  const { template, provider, shared, store, chain, standIns, inspected } = service;
  const [, stage] = /^marketdata-(\w+)$/.exec(template.stack) ?? [];
  const url = service.url.replace('127.0.0.1', 'localhost');
  // HEAD works wherever GET does.
  const keys = template.routes
    .map(({ key }) => key)
    .filter((key) => !key.startsWith('HEAD ') && !key.includes(PAGE_PREFIX));
  const routes = keys.map((key) => {
    const [method = '', path = 'any other path'] = key === '$default' ? ['*'] : key.split(' ');
    return `  ${method.padEnd(5)} ${path}`;
  });
  const others = sourceNames.filter((name) => name !== providerName);
  const sources = others.map((name) => provider.simulated?.[name].url).join(', ');
  // `lie=scaled` without a source's name applies to the provider.
  const faults = mode.faults.map((fault) => (/^[a-z]+:/.test(fault) ? fault : `${providerName}:${fault}`));
  const place = store?.folder === undefined ? 'in memory' : shortest(store.folder);
  const example = keys.find((key) => key.startsWith('GET '))?.slice('GET '.length);
  const key = env.NODE_ENV === 'production' ? '-H "x-api-key: $CLIENT_API_KEY" ' : '';
  const about: [name: string, text: string | false | undefined][] = [
    ['Provider', providerText(provider)],
    ['Sources', provider.simulated && `SIMULATED too: ${sources}`],
    ['FAULTS', faults.join(', ')],
    ['Stage', stage && `${stage}${stage === 'local' ? ', with every route' : ''} (infra/config.ts)`],
    ['Mode', modeText(mode, env)],
    [
      'CoinGecko',
      keys.some((key) => key.includes('/coingecko/')) &&
        `${url}/coingecko/api/v3 for its clients (docs/coingecko.md)`,
    ],
    ['Page', !mode.assembly && `${url}/`],
    ['Shared', shared && `DynamoDB-compatible server on ${shared.dynamoDb.url}`],
    ['Store', store && `${place}, as S3 on ${store.s3.url} (bucket ${store.bucket})`],
    ['Chain', chain && `local, ${chain.url} (docs/protocols.md)${FURTHER}${demoTokens()}`],
    ...(standIns?.names ?? []).map((name): [string, string] => [
      'Stand-in',
      `for the API of ${name}, whose answers are SIMULATED: its key is not set`,
    ]),
    ...inspected.map(({ name, port }): [string, string] => ['Debugger', `127.0.0.1:${port} ${name}`]),
    ['Try', example && `curl ${key}${url}${example.replace('{id}', 'btc-bitcoin')}`],
  ];
  const lines = about.flatMap(([name, text]) => (text ? `${name.padEnd(9)} ${text}` : []));
  return ['', `Serving ${template.stack} on ${url}`, '', ...routes, '', ...lines, ''].join('\n');
}

/** The tokens that routes pass through; the first is wrapped ETH. */
function demoTokens(): string {
  const [, ...tokens] = chains.local.tokens;
  return tokens.map(({ symbol, address }) => `its token ${symbol} is ${address}`).join(FURTHER);
}

function providerText({ kind, url, reason }: ChosenProvider): string {
  if (kind === 'live') return `live, ${url}`;
  if (kind === 'given') return `${url}, as ${settings.baseUrl} says`;
  const why = reason ? `${FURTHER}${reason}; --live insists on real prices` : '';
  return `SIMULATED, these are not real prices (${url})${why}`;
}

function shortest(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}

function modeText({ containers, freeze }: Mode, { NODE_ENV, CLIENT_API_KEY }: LocalEnvironment): string {
  const nodeEnv = NODE_ENV || 'development';
  const processes = containers === 1 ? 'one process' : `up to ${containers} processes`;
  const text = `${nodeEnv}, ${processes} per function${freeze ? ', frozen between events' : ''}`;
  const problem = nodeEnvProblem(nodeEnv);
  if (problem) return `${text}, no key needed${FURTHER}WARNING: ${problem}`;
  if (nodeEnv !== 'production') return `${text}, no key needed`;
  if (CLIENT_API_KEY) return `${text}, callers need a key`;
  const warning = 'WITHOUT CLIENT_API_KEY EVERY REQUEST GETS 500 Server configuration error. Set it:';
  return `${text}${FURTHER}${warning}${FURTHER}NODE_ENV=production CLIENT_API_KEY=some-key npm start -- --lambda`;
}
