import { Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, test } from 'vitest';
import { functionEnvironment } from '../../infra/constructs/function-environment.ts';
import { endpointsOf, newApp, templateOf } from './synthesized.ts';

describe('the environment of the functions', () => {
  test('in prod every function runs in production and holds the client key from the generated secret', () => {
    const template = templateOf('prod');
    const [secretId] = Object.keys(template.findResources('AWS::SecretsManager::Secret'));

    for (const endpoint of endpointsOf(template)) {
      expect(endpoint.function.Environment.Variables).toMatchObject({
        NODE_ENV: 'production',
        CLIENT_API_KEY: {
          'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secretId }, ':SecretString:::}}']],
        },
      });
    }
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { PasswordLength: 40, ExcludePunctuation: true },
    });
  });

  test('a configured setting reaches the functions whose route names it, and no others', () => {
    const template = templateOf('dev', {
      environment: { COINPAPRIKA_BASE_URL: 'https://api-pro.coinpaprika.com/v1' },
      secretNames: { COINPAPRIKA_API_KEY: 'marketdata/coinpaprika' },
    });
    const configured = endpointsOf(template).map(({ routeKey, function: { Environment } }) => {
      const { COINPAPRIKA_BASE_URL: url, COINPAPRIKA_API_KEY: key } = Environment.Variables;
      return [routeKey, url, key];
    });

    const url = 'https://api-pro.coinpaprika.com/v1';
    const key = '{{resolve:secretsmanager:marketdata/coinpaprika:SecretString:::}}';
    expect(configured).toEqual(
      expect.arrayContaining([
        ['GET /api/marketdata/ticker/{id}', url, key],
        ['GET /api/marketdata/ohlcv/{id}', url, key],
        ['$default', undefined, undefined],
      ]),
    );
  });

  test('a setting that the functions could not use is an error already at synth', () => {
    expect(() => templateOf('dev', { environment: { COINPAPRIKA_BASE_URL: 'coinpaprika' } })).toThrow(
      'Environment variable COINPAPRIKA_BASE_URL must be an http:// or https:// URL',
    );
  });

  test('beside NODE_ENV and the client key there are the budget and the table, where the provider is asked', () => {
    const template = templateOf('prod');
    const [tableId] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
    for (const endpoint of endpointsOf(template)) {
      const {
        NODE_ENV,
        CLIENT_API_KEY,
        REGISTRY_BUCKET: _wired,
        ...settings
      } = endpoint.function.Environment.Variables;
      const asksProvider = /(ticker|ohlcv)/.test(endpoint.routeKey);
      const shared = { UPSTREAM_MONTHLY_BUDGET: '25000', SHARED_TABLE: { Ref: tableId } };
      expect(settings).toEqual(asksProvider ? shared : {});
    }
  });

  test('a secret that a route needs and the stage does not name is an error that names both', () => {
    const stack = new Stack(newApp());
    const given = (secretNames: Record<string, string>) =>
      stack.resolve(
        functionEnvironment(
          { name: 'demo/quote', secrets: ['DEMO_KEY'] },
          { nodeEnv: 'production', environment: {}, secretNames },
          Secret.fromSecretNameV2(stack, `Key${Object.keys(secretNames)}`, 'key'),
        ),
      );

    expect(() => given({})).toThrow(
      'Route demo/quote needs the secret DEMO_KEY: name its Secrets Manager secret in secretNames of infra/config.ts',
    );
    expect(given({ DEMO_KEY: 'demo' })).toMatchObject({
      DEMO_KEY: '{{resolve:secretsmanager:demo:SecretString:::}}',
    });
  });

  test('the outputs name the address and the command that prints the key', () => {
    const outputs = templateOf('dev').toJSON().Outputs;

    expect(Object.keys(outputs)).toEqual(['PageUrl', 'ApiUrl', 'ClientApiKeyCommand']);
    expect(JSON.stringify(outputs.ClientApiKeyCommand.Value)).toContain(
      'aws secretsmanager get-secret-value',
    );
    for (const { Description } of Object.values<{ Description?: string }>(outputs))
      expect(Description).toBeTruthy();
  });
});
