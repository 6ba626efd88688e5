import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { get, serveFixture } from './fixture.ts';

const surroundings = `
import { existsSync } from 'node:fs';
export const handler = async (_event, context) => ({
  env: process.env,
  cwd: process.cwd(),
  argv: process.argv.length,
  time: new Date(0).toString(),
  remaining: context.getRemainingTimeInMillis(),
  context: JSON.parse(JSON.stringify(context)),
});`;

const enveloped = `export const handler = async () => ({ success: true, data: process.env });`;

const resolvedAtDeployment = {
  'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: 'Key' }, ':SecretString:::}}']],
};

test('a function sees the template’s variables, Lambda’s, and nothing else of this machine', async () => {
  const { url } = await serveFixture(
    {
      routes: { 'GET /a': 'Seer' },
      functions: {
        Seer: {
          code: surroundings,
          timeout: 60,
          environment: {
            NODE_ENV: 'production',
            PLAIN: 'from the template',
            CLIENT_API_KEY: resolvedAtDeployment,
            UNSET: resolvedAtDeployment,
          },
        },
      },
    },
    { env: { CLIENT_API_KEY: 'local key', HOME: '/root', COINPAPRIKA_API_KEY: 'not for this function' } },
  );
  const { body } = await get(`${url}/a`);

  expect(body.env).toEqual({
    NODE_ENV: 'development',
    PLAIN: 'from the template',
    CLIENT_API_KEY: 'local key',
    AWS_LAMBDA_FUNCTION_NAME: 'Seer',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
    AWS_REGION: 'us-east-1',
    LAMBDA_TASK_ROOT: body.cwd,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TZ: ':UTC',
  });
  expect(body.argv).toBe(2);
  expect(body.time).toContain('GMT+0000');
  expect(body.remaining).toBeGreaterThan(50_000);
  expect(body.remaining).toBeLessThanOrEqual(60_000);
  expect(body.context).toEqual({
    functionName: 'Seer',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:Seer',
    memoryLimitInMB: '128',
    logGroupName: '/aws/lambda/Seer',
    logStreamName: 'local',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    callbackWaitsForEmptyEventLoop: true,
  });
});

test('a function gets the variables that its own route names', async () => {
  const route = { method: 'GET', path: '/a', environment: ['COINPAPRIKA_BASE_URL'], secrets: ['X_KEY'] };
  const { url } = await serveFixture(
    {
      routes: { 'GET /a': 'Seer', 'GET /b': 'Other' },
      functions: { Seer: { code: enveloped }, Other: { code: enveloped } },
    },
    {
      env: { X_KEY: 'secret', NODE_ENV: 'production' },
      routes: [{ ...route, response: Type.Record(Type.String(), Type.String()) }],
    },
  );
  const own = (await get(`${url}/a`)).body.data;
  expect(own).toMatchObject({ X_KEY: 'secret', COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' });
  const other = (await get(`${url}/b`)).body.data;
  expect(other).not.toHaveProperty('X_KEY');
  expect(other).not.toHaveProperty('COINPAPRIKA_BASE_URL');
  expect(other.NODE_ENV).toBe('production');
});

test('a secret that the template names is fetched only if the local value names one', async () => {
  const route = { method: 'GET', path: '/a', secrets: ['X_KEY', 'Y_KEY'] };
  const environment = { X_KEY: 'secretsmanager:of/x', Y_KEY: 'secretsmanager:of/y' };
  const serve = async (env: Record<string, string>) => {
    const { url } = await serveFixture(
      { routes: { 'GET /a': 'Seer' }, functions: { Seer: { code: enveloped, environment } } },
      {
        env: { AWS_ACCESS_KEY_ID: 'id', ...env },
        routes: [{ ...route, response: Type.Record(Type.String(), Type.String()) }],
      },
    );
    const { X_KEY, Y_KEY, AWS_ACCESS_KEY_ID } = (await get(`${url}/a`)).body.data;
    return [X_KEY, Y_KEY, AWS_ACCESS_KEY_ID];
  };

  expect(await serve({ X_KEY: 'secret' })).toEqual(['secret', undefined, undefined]);
  expect(await serve({ X_KEY: 'secretsmanager:mine' })).toEqual(['secretsmanager:mine', undefined, 'id']);
});

test('layers are copied beside the function, outside the repository, and removed with the service', async () => {
  const service = await serveFixture({
    routes: { $default: 'Layered', 'GET /plain': 'Plain' },
    functions: {
      Layered: { code: surroundings, layer: { 'registry/index.bin': 'data' } },
      Plain: { code: surroundings },
    },
  });
  const { env, cwd } = (await get(service.url)).body;
  expect(env.REGISTRY_PATH).toMatch(new RegExp(`^${dirname(cwd)}/opt-\\d+/registry$`));
  expect(existsSync(`${env.REGISTRY_PATH}/index.bin`)).toBe(true);
  expect(cwd.startsWith(process.cwd())).toBe(false);
  expect((await get(`${service.url}/plain`)).body.env).not.toHaveProperty('REGISTRY_PATH');

  await service.close();
  expect(existsSync(cwd)).toBe(false);
});
