import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoint } from '../../shared/http/endpoint.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { refuse, startSecretsManager } from '../secrets/secrets-manager.ts';
import { call, failure, refusalHeaders } from './event.ts';
import { pingRoute, swapRoute } from './routes.ts';
import { useWritten } from './written.ts';

const SECRET = 'sk/live+7&Ünique key=';
const asked = { method: 'POST', body: '{"fromToken":"0xa","toToken":"0xb","amount":"1"}' };

const failing = (thrown: unknown) =>
  endpoint(swapRoute, () => {
    throw thrown;
  });

const written = useWritten();

beforeEach(() => {
  vi.stubEnv('X_API_KEY', SECRET);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a declared secret', () => {
  it('reaches the handler as it is at the time of the request', async () => {
    const handler = endpoint(swapRoute, (_input, { secrets }) => {
      expect(secrets).toEqual({ X_API_KEY: 'changed' });
      return { to: '', data: '', value: '', gasLimit: '' };
    });
    vi.stubEnv('X_API_KEY', 'changed');

    expect(await call(handler, asked)).toMatchObject({ status: 200 });
  });

  it.each([
    ['not set', undefined],
    ['empty', ''],
  ])('is a 500 that does not name it while it is %s', async (_how, value) => {
    vi.stubEnv('X_API_KEY', value);
    const handle = vi.fn();

    const answer = await call(endpoint(swapRoute, handle), asked);

    expect(answer).toEqual({
      status: 500,
      headers: refusalHeaders(30),
      body: failure('Server configuration error'),
    });
    expect(handle).not.toHaveBeenCalled();
  });
});

describe('a declared secret that its variable names', () => {
  it('reaches the handler, is cut from texts, and is a 500 that names nothing while it cannot be had', async () => {
    const manager = await startSecretsManager({ first: 'f1rst-key-0123' });
    for (const [name, value] of Object.entries(manager.environment)) vi.stubEnv(name, value);
    // A container of its own, which knows no other Secrets Manager.
    vi.resetModules();
    const http = await import('../../shared/http/endpoint.ts');
    const { fetchedSecret } = await import('../../shared/platform/fetched-secret.ts');
    const handler = http.endpoint(
      swapRoute,
      (_input, { secrets }) => {
        throw new Error(`key ${secrets.X_API_KEY}`);
      },
      fetchedSecret,
    );
    const answerWith = async (secretName: string) => {
      vi.stubEnv('X_API_KEY', `secretsmanager:${secretName}`);
      const { status, body } = await call(handler, asked);
      return [status, body];
    };

    const there = await answerWith('first');
    const missing = await answerWith('second');
    manager.misbehave = (_request, response) => refuse(response, 'InternalServiceError', 'third', 500);
    const unknown = await answerWith('third');
    await manager.close();
    vi.resetModules(); // other files know none of its secrets

    expect(there).toEqual([500, failure('key [redacted]')]);
    expect(missing).toEqual([500, failure('Server configuration error')]);
    expect(unknown).toEqual([
      500,
      failure('A secret of this service cannot be read at the moment; try again'),
    ]);
    expect(manager.asked).toEqual(['first', 'second', 'third', 'third']);
  });
});

describe('the text of an error', () => {
  it.each([
    ['raw', SECRET],
    ['in base64', Buffer.from(SECRET).toString('base64')],
  ])('never holds the secret %s, neither in the answer nor in the log', async (_form, form) => {
    vi.stubEnv('NODE_ENV', 'development');
    const thrown = new ApiError(502, `message ${form}`, { cause: new Error(`cause ${form}`) });

    const { body } = await call(failing(thrown), asked);

    // Base64 of a longer text may hold more than the secret's own.
    expect(body).toEqual(failure(expect.stringMatching(/^message \[redacted\](Q==)?$/)));
    const log = written.join('');
    expect(log.match(/\[redacted\]/g)).toHaveLength(2);
    expect(log).not.toContain(JSON.stringify(form).slice(1, -1));
  });

  it('never holds a secret of the environment schema either, on a route that declares none', async () => {
    vi.stubEnv('CLIENT_API_KEY', 'client-key');
    vi.stubEnv('COINPAPRIKA_API_KEY', 'provider-key');
    const handler = endpoint(pingRoute, () => {
      throw new Error('client-key and provider-key');
    });

    const { body } = await call(handler);

    expect(body).toEqual(failure('[redacted] and [redacted]'));
  });
});

describe('the log', () => {
  it.each(['test', undefined])('is silent where NODE_ENV is %s', async (name) => {
    vi.stubEnv('NODE_ENV', name);
    vi.stubEnv('CLIENT_API_KEY', 'client-key');

    await call(failing(new Error('boom')), { ...asked, headers: { 'x-api-key': 'client-key' } });

    expect(written).toEqual([]);
  });

  it('has the message without the stack in development', async () => {
    vi.stubEnv('NODE_ENV', 'development');

    await call(failing(new TypeError('the pool is empty')), asked);

    const [line = '', ...more] = written;
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      level: 'ERROR',
      message: 'the pool is empty',
      timestamp: expect.any(String),
      service: 'test/swap',
      sampling_rate: 0,
      status: 500,
      requestId: 'request',
      error: 'TypeError',
    });
    expect(line).not.toMatch(/secrets\.test|stack/);
  });

  it('names in development what the caller does not learn', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    vi.stubEnv('X_API_KEY', undefined);

    await call(failing('never'), asked);

    expect(JSON.parse(written.join(''))).toMatchObject({
      message: 'Server configuration error',
      cause: 'The secret X_API_KEY is not set',
    });
  });

  it('leaves out what the caller did wrong', async () => {
    vi.stubEnv('NODE_ENV', 'development');

    await call(failing(new Error('x')), { ...asked, body: '{"fromToken":"private"}' });
    await call(failing(ApiError.notFound('Unknown coin id: x')), asked);

    expect(written).toEqual([]);
  });
});
