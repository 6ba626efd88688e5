import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { routes } from '../../functions/routes.ts';
import type { LocalChain } from '../../local/evm/index.ts';
import { exampleAnswers, exampleBody, exampleUrl } from '../../scripts/generate/examples.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { post } from './post.ts';
import { expectFailure, KEY, type Service, startService } from './service.ts';

const root = join(import.meta.dirname, '../..');
const protocolRoutes = routes.filter(({ allSecrets }) => allSecrets.length > 0);
const posted = protocolRoutes.filter(({ method }) => method === 'POST');

async function start(env: Record<string, string> = {}): Promise<{ service: Service; chain: LocalChain }> {
  const service = await startService({
    chain: 'local',
    env: { UPSTREAM_TIMEOUT_MS: '5000', ...env },
  });
  const { chain } = service.local;
  if (!chain) throw new Error('these tests need the local chain');
  return { service, chain };
}

describe('the protocol routes', () => {
  let service: Service;
  beforeAll(async () => {
    ({ service } = await start());
  });
  afterAll(() => service.local.close());

  it.each(posted)('$name names what is missing', async (route) => {
    const required = route.parameters.find((parameter) => parameter.in === 'body' && parameter.required);
    expectFailure(
      await post(service.local.url + exampleUrl(route), {}),
      400,
      `Missing required parameter: ${required?.name}`,
    );
  });

  it.each(posted)('$name may be asked by web pages', async (route) => {
    const preflight = await fetch(service.local.url + exampleUrl(route), {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  });

  it.each(posted)('$name refuses a body above its limit', async (route) => {
    expectFailure(
      await post(service.local.url + exampleUrl(route), { text: 'x'.repeat(route.maxBodyBytes) }),
      413,
      `Request body too large: the limit is ${route.maxBodyBytes} bytes`,
    );
  });

  it('have examples that are answered as their schemas say', async () => {
    const answers = await exampleAnswers(service.local.url, protocolRoutes);

    expect(Object.keys(answers)).toEqual(protocolRoutes.map(({ name }) => name));
    for (const { name, response } of protocolRoutes)
      expect(compileResponse(response)(answers[name])).toEqual([]);
  });
});

describe('docs/protocols.md', () => {
  let service: Service;
  let chain: LocalChain;
  beforeAll(async () => {
    ({ service, chain } = await start());
  });
  afterAll(() => service.local.close());

  const document = readFileSync(join(root, 'docs/protocols.md'), 'utf8');
  const commands = [...document.matchAll(/^curl .+ -d .+$/gm)].map(([command]) => command);

  it('has a command for each domain that speaks to a chain', () => {
    const speaking = domains.filter(({ routes }) => routes.some(({ allSecrets }) => allSecrets.length > 0));
    expect(
      speaking.filter(({ name }) => !commands.some((command) => command.includes(`/api/${name}/`))),
    ).toEqual([]);
  });

  it('has commands that work in their order', async () => {
    for (const command of commands) {
      const { stdout, stderr } = await promisify(execFile)(
        'sh',
        ['-c', command.replace('http://localhost:3000', service.local.url)],
        { cwd: root, env: { ...process.env, CHAIN: chain.url } },
      );
      expect(`${stdout}${stderr}`, command).toMatch(
        command.includes('wallet')
          ? /^0x70997970C51812dc3A010C7d01b50e0d17dc79C8 sent 0x/
          : /^\{"success":true,/,
      );
    }
  });
});

describe('in production', () => {
  let service: Service;
  let chain: LocalChain;
  beforeAll(async () => {
    ({ service, chain } = await start({ NODE_ENV: 'production', CLIENT_API_KEY: KEY }));
  });
  afterAll(() => service.local.close());

  it.each(posted)('$name asks for the key, and answers with it', async (route) => {
    const url = service.local.url + exampleUrl(route);
    const body = exampleBody(route);
    expectFailure(await post(url, body), 401, 'Unauthorized');

    const answer = await post(url, body, { headers: { 'x-api-key': KEY } });

    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    for (const secret of Object.values(chain.environment))
      expect(JSON.stringify(answer)).not.toContain(secret);
  });
});
