import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalSecretsManager, refuse, startSecretsManager } from '../../test/secrets/secrets-manager.ts';
import { ConfigurationError } from './environment.ts';

const URL_VARIABLE = 'MAINNET_RPC_URL';
const NAME = 'marketdata/mainnet-rpc-url';
const VALUE = 'https://node.example.com/v2/a-key-0123456789';
const NEW_VALUE = 'https://node.example.com/v2/the-key-after-it';
const UNAVAILABLE = 'A secret of this service cannot be read at the moment; try again';

let manager: LocalSecretsManager;
let platform: {
  readonly fetchedSecret: typeof import('./fetched-secret.ts').fetchedSecret;
  readonly withoutSecrets: typeof import('./redaction.ts').withoutSecrets;
  readonly takeMetrics: typeof import('./metrics.ts').takeMetrics;
};
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  manager = await startSecretsManager({ [NAME]: VALUE });
  for (const [name, value] of Object.entries(manager.environment)) vi.stubEnv(name, value);
  vi.stubEnv(URL_VARIABLE, `secretsmanager:${NAME}`);
  await startContainer();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await manager.close();
});

async function startContainer(): Promise<void> {
  vi.resetModules();
  platform = {
    ...(await import('./fetched-secret.ts')),
    ...(await import('./redaction.ts')),
    ...(await import('./metrics.ts')),
  };
}

const read = () => platform.fetchedSecret(URL_VARIABLE);
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const counted = () => JSON.parse(platform.takeMetrics('test') ?? '{}') as Record<string, unknown>;
/** The modules are loaded anew, so that their classes are others. */
const isMisconfigured = (message: string) =>
  expect.objectContaining({ name: ConfigurationError.name, message });
const silent = () => {};

describe('a secret', () => {
  it('in its variable is used without a request', async () => {
    vi.stubEnv(URL_VARIABLE, VALUE);

    expect(await read()).toBe(VALUE);
    expect(manager.asked).toEqual([]);
  });

  it('named by its variable is fetched once, by a signed request', async () => {
    expect(await Promise.all([read(), read(), read()])).toEqual([VALUE, VALUE, VALUE]);
    expect(manager.asked).toEqual([NAME]);
  });

  it('is fetched as the SDK fetches it from the same server', async () => {
    const endpoint = manager.environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '';
    const client = new SecretsManagerClient({ endpoint });

    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: NAME }));
    client.destroy();

    expect(SecretString).toBe(await read());
  });

  it('that has changed is used after five minutes', async () => {
    await read();
    manager.secrets.set(NAME, NEW_VALUE);

    pass(299);
    expect(await read()).toBe(VALUE);
    pass(1);
    expect(await read()).toBe(NEW_VALUE);
    expect(manager.asked).toHaveLength(2);
  });

  it.each([
    ['loses a trailing line feed, as from a file', `${VALUE}\n`, VALUE],
    ['may be two URLs with a blank after their comma', `${VALUE}, ${NEW_VALUE}`, `${VALUE}, ${NEW_VALUE}`],
  ])('%s', async (_what, stored, value) => {
    manager.secrets.set(NAME, stored);
    expect(await read()).toBe(value);
  });

  it('is cut from texts once fetched, and so is its former value', async () => {
    const text = `${VALUE} and ${NEW_VALUE}, a-key-0123456789`;
    expect(platform.withoutSecrets(text, [URL_VARIABLE])).toBe(text);

    await read();
    manager.secrets.set(NAME, NEW_VALUE);
    pass(300);
    await read();

    expect(platform.withoutSecrets(text, [URL_VARIABLE])).toBe('[redacted] and [redacted], [redacted]');
  });
});

describe('a secret that cannot be used is a wrong configuration', () => {
  it.each([
    ['empty', ''],
    ['of several lines', `${VALUE}\n${VALUE}`],
    ['of two words', 'not yet'],
    ['with a control character', `${VALUE}\u0000`],
    ['a JSON object', JSON.stringify({ url: VALUE })],
    ['binary', Buffer.from(VALUE)],
  ])('if it is %s', async (_what, value) => {
    manager.secrets.set(NAME, value);

    await expect(read()).rejects.toEqual(isMisconfigured(`The secret of ${URL_VARIABLE} is not one word`));
    expect(counted()).toMatchObject({ SecretUnusable: 1 });
    manager.secrets.set(NAME, VALUE);
    pass(10);
    expect(await read()).toBe(VALUE);
  });

  it.each(['ResourceNotFoundException', 'AccessDeniedException'])(
    'if Secrets Manager answers %s, even after it was readable',
    async (type) => {
      await read();
      pass(300);
      manager.misbehave = (_request, response) => refuse(response, type, `${VALUE} ${NAME}`);

      const refused = isMisconfigured(`The secret of ${URL_VARIABLE} cannot be had: ${type}`);
      await expect(read()).rejects.toEqual(refused);
      await expect(read()).rejects.toEqual(refused);
      expect(counted()).toMatchObject({ SecretUnusable: 1 });
      expect(manager.asked).toHaveLength(2);
    },
  );

  it('if there are no credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');

    await expect(read()).rejects.toEqual(
      isMisconfigured(`The secret of ${URL_VARIABLE} cannot be had: there are no AWS credentials`),
    );
    expect(manager.asked).toEqual([]);
  });

  it('if its variable is not set', async () => {
    vi.stubEnv(URL_VARIABLE, '');

    await expect(read()).rejects.toEqual(isMisconfigured(`The secret ${URL_VARIABLE} is not set`));
  });
});

describe('while Secrets Manager gives no answer of its own', () => {
  it.each<[string, LocalSecretsManager['misbehave']]>([
    ['fails', (_request, response) => refuse(response, 'InternalServiceError', VALUE, 500)],
    ['is too busy', (_request, response) => refuse(response, 'ThrottlingException', VALUE)],
    ['answers nonsense', (_request, response) => void response.end(`<html>${VALUE}`)],
    ['answers no object', (_request, response) => void response.end('null')],
    ['breaks off', (request) => void request.socket.destroy()],
  ])(
    'because it %s, the last value stays in use, and without one the error names nothing',
    async (_how, misbehave) => {
      manager.misbehave = misbehave;

      await expect(read()).rejects.toThrow(new Error(UNAVAILABLE));
      manager.misbehave = undefined;
      await expect(read()).rejects.toThrow(new Error(UNAVAILABLE));
      pass(10);
      expect(await read()).toBe(VALUE);
      manager.misbehave = misbehave;
      pass(300);
      const before = manager.asked.length;
      expect([await read(), await read()]).toEqual([VALUE, VALUE]);
      expect(manager.asked.length).toBe(before + 2);
      expect(counted()).toMatchObject({ SecretFetchFailed: 2 });
      manager.misbehave = undefined;
      manager.secrets.set(NAME, NEW_VALUE);
      pass(10);
      expect(await read()).toBe(NEW_VALUE);
    },
  );

  it('the request is repeated once at once', async () => {
    manager.misbehave = (_request, response) => {
      manager.misbehave = undefined;
      refuse(response, 'InternalServiceError', 'try again', 500);
    };

    expect(await read()).toBe(VALUE);
    expect(counted()).toEqual({});
  });

  it('a request waits two seconds at most', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    manager.misbehave = silent;
    const outcome = read().catch((error: Error) => error.message);
    await expect.poll(() => manager.asked.length).toBe(1);

    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toBe(UNAVAILABLE);
  });
});
