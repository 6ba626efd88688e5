import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adapterEndpoint } from '../../shared/http/adapter.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { ownShape, wholeAnswer } from '../../shared/http/middleware/envelope.ts';
import type { HttpResult } from '../../shared/http/middleware/pipeline-request.ts';
import { readSecret } from '../../shared/platform/environment.ts';
import { refuse, startSecretsManager } from '../secrets/secrets-manager.ts';
import { call, contextOf, eventOf, failure, refusalHeaders } from './event.ts';
import { pingRoute, swapRoute } from './routes.ts';

const asked = { method: 'POST', body: '{"fromToken":"0xa","toToken":"0xb","amount":"1"}' };

beforeEach(() => {
  vi.stubEnv('X_API_KEY', 'a-secret-of-the-route');
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

it('the text of an error never holds a secret of the environment schema, on a route that declares none', async () => {
  vi.stubEnv('CLIENT_API_KEY', 'client-key');
  vi.stubEnv('COINPAPRIKA_API_KEY', 'provider-key');
  const handler = endpoint(pingRoute, () => {
    throw new Error('client-key and provider-key');
  });

  expect((await call(handler)).body).toEqual(failure('[redacted] and [redacted]'));
});

describe('the data of a route without the envelope', () => {
  const DATA = '<p>Latest token, "greatest" hits</p>';
  const adapterRoute = {
    ...pingRoute,
    response: Type.Unsafe<HttpResult>(Type.Unknown()),
    adapted: { '/names': 'names', '/names.csv': 'text' },
  };
  const handlers = {
    page: endpoint(pingRoute, () => ({ statusCode: 200, body: DATA }), readSecret, wholeAnswer),
    adapter: adapterEndpoint(adapterRoute, { names: () => [DATA], text: () => DATA }, ownShape),
  };

  it.each([
    ['page', '/', DATA],
    ['adapter', '/names', JSON.stringify([DATA])],
    ['adapter', '/names.csv', DATA],
  ] as const)('loses no part of a word to a short key: %s %s', async (name, path, body) => {
    vi.stubEnv('CLIENT_API_KEY', 'test');
    vi.stubEnv('ORIGIN_SECRET', 'greates');

    expect(await handlers[name](eventOf({ path }), contextOf())).toMatchObject({ statusCode: 200, body });
  });

  it('loses a key of eight characters, raw and as JSON and URLs have it', async () => {
    vi.stubEnv('CLIENT_API_KEY', 'a"key/üb'); // eight
    const forms = ['a"key/üb', 'a%22key%2F%C3%BCb', 'a%22key/%c3%bcb'];
    const handler = adapterEndpoint(adapterRoute, { names: () => forms }, ownShape);

    const { body = '' } = await handler(eventOf({ path: '/names' }), contextOf());

    expect(JSON.parse(body)).toEqual(forms.map(() => '[redacted]'));
  });

  it('keeps its errors free of keys of any length', async () => {
    vi.stubEnv('CLIENT_API_KEY', 'k3y');
    const fail = () => {
      throw new Error('refused k3y');
    };

    expect(
      (await call(adapterEndpoint(adapterRoute, { names: fail }, ownShape), { path: '/names' })).body,
    ).toEqual(failure('refused [redacted]'));
  });
});
