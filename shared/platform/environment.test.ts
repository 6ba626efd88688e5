import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, parseEnvironment, readSecret, secretValues, variables } from './environment.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the environment', () => {
  it('is complete with nothing set', () => {
    const defaults = Object.entries(variables).flatMap(([name, variable]) =>
      'default' in variable ? [[name, variable.default]] : [],
    );

    expect(parseEnvironment({})).toEqual(Object.fromEntries(defaults));
    expect(parseEnvironment({})).toMatchObject({ NODE_ENV: 'development', STALE_WAIT_MS: '300' });
  });

  it('takes what is set, an empty text as not set, and nothing that the schema does not name', () => {
    const set = { NODE_ENV: '', COINPAPRIKA_BASE_URL: 'http://127.0.0.1:1/v1', PATH: '/bin' };

    const parsed = parseEnvironment(set);

    expect(parsed).toMatchObject({ NODE_ENV: 'development', COINPAPRIKA_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect(parsed).not.toHaveProperty('PATH');
  });

  it.each([
    ['COINPAPRIKA_BASE_URL', 'api.coinpaprika.com', 'must be an http:// or https:// URL'],
    ['COINPAPRIKA_BASE_URL', 'ftp://api.coinpaprika.com', 'must be an http:// or https:// URL'],
    ['UPSTREAM_TIMEOUT_MS', '99', 'must be an integer from 100 to 14000'],
    ['UPSTREAM_TIMEOUT_MS', '14001', 'must be an integer from 100 to 14000'],
    ['UPSTREAM_TIMEOUT_MS', '8s', 'must be an integer from 100 to 14000'],
    ['METRICS', 'yes', 'must be one of production, on, off'],
    ['METRICS_NAMESPACE', 'AWS/Lambda', 'must be a CloudWatch namespace, such as marketdata'],
    ['STALE_WAIT_MS', '-1', 'must be an integer from 0 to 10000'],
    ['STALE_WAIT_MS', '0.5', 'must be an integer from 0 to 10000'],
  ])('is refused, naming the variable and what is allowed: %s=%s', (name, text, problem) => {
    expect(() => parseEnvironment({ [name]: text })).toThrow(
      new ConfigurationError(`Settings that cannot be used:\n  ${name}=${JSON.stringify(text)} ${problem}`),
    );
  });

  it('is refused with everything that is wrong in it at once', () => {
    const bad = {
      UPSTREAM_TIMEOUT_MS: 'abc',
      COINPAPRIKA_BASE_URL: 'notaurl',
      ID_SOURCES: 'coingecko,elsewhere',
    };

    expect(() => parseEnvironment({ ...bad, METRICS: 'on' })).toThrow(`Settings that cannot be used:
  COINPAPRIKA_BASE_URL="notaurl" must be an http:// or https:// URL
  ID_SOURCES="coingecko,elsewhere" must be a comma list of coingecko, each once, or empty
  UPSTREAM_TIMEOUT_MS="abc" must be an integer from 100 to 14000`);
  });
});

describe('secrets', () => {
  beforeEach(() => {
    for (const name of ['CLIENT_API_KEY', 'COINPAPRIKA_API_KEY', 'X_API_KEY']) vi.stubEnv(name, undefined);
  });

  it('are those of the schema and the declared ones, where they are set', () => {
    vi.stubEnv('CLIENT_API_KEY', 'client');
    vi.stubEnv('X_API_KEY', 'x');
    vi.stubEnv('COINPAPRIKA_API_KEY', '');

    expect(secretValues(['X_API_KEY', 'Y_API_KEY'])).toEqual(['client', 'x']);
  });

  it('that are not set are a wrong configuration', () => {
    expect(() => readSecret('X_API_KEY')).toThrow(new ConfigurationError('The secret X_API_KEY is not set'));
  });
});
