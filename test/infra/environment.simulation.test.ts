import { describe, expect, test } from 'vitest';
import type { StageConfig } from '../../infra/config.ts';
import { functionEnvironment } from '../../infra/constructs/functions.ts';
import { configured, endpointsOf, templateOf } from './synthesized.ts';

describe('the environment of the functions', () => {
  test('in prod every function runs in production and holds the client key from the generated secret', () => {
    const template = templateOf('prod');
    const [secretId] = Object.keys(template.findResources('AWS::SecretsManager::Secret'));

    for (const endpoint of endpointsOf(template)) {
      expect(endpoint.function.Environment.Variables).toMatchObject({
        NODE_ENV: 'production',
        METRICS_NAMESPACE: 'marketdata-prod',
        CLIENT_API_KEY: {
          'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secretId }, ':SecretString:::}}']],
        },
      });
    }
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { PasswordLength: 40, ExcludePunctuation: true },
    });
  });

  test('under another name, the key is another secret', () => {
    const secretOf = (changes: Partial<StageConfig>) =>
      Object.keys(templateOf('prod', changes).findResources('AWS::SecretsManager::Secret')).find((id) =>
        id.startsWith('ClientApiKey'),
      );
    const changed = secretOf({ clientKey: 'ClientApiKey2' });

    expect(changed).not.toBe(secretOf({}));
    for (const endpoint of endpointsOf(templateOf('prod', { clientKey: 'ClientApiKey2' })))
      expect(JSON.stringify(endpoint.function.Environment.Variables.CLIENT_API_KEY)).toContain(changed);
  });

  test('the probe asks at the address of the page, with the key that clients have', () => {
    const probeOf = (changes: Partial<StageConfig>) => {
      const [probe] = Object.entries(
        templateOf('prod', changes).findResources('AWS::Lambda::Function'),
      ).filter(([id]) => id.startsWith('MarketdataProbe'));
      return probe?.[1].Properties.Environment.Variables;
    };

    expect(probeOf({})).toMatchObject({
      PAGE_URL: {
        'Fn::Join': [
          '',
          ['https://', { 'Fn::GetAtt': [expect.stringMatching(/^Edge/), expect.anything()] }, '/'],
        ],
      },
      CLIENT_API_KEY: expect.anything(),
    });
    expect(probeOf({})).not.toHaveProperty('ORIGIN_SECRET');
    expect(probeOf({})).not.toHaveProperty('SHARED_TABLE');
  });

  test('the texts of failures are logged by every route of a stage that asks for them, and by no other', () => {
    const texts = (changes: Partial<StageConfig>) =>
      new Set(
        endpointsOf(templateOf('prod', changes)).map(
          (endpoint) => endpoint.function.Environment.Variables.ERROR_TEXTS,
        ),
      );

    expect(texts({})).toEqual(new Set([undefined]));
    expect(texts(configured)).toEqual(new Set(['on']));
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

  test('a setting of the chain reaches every function', () => {
    for (const endpoint of endpointsOf(templateOf('prod', configured)))
      expect(endpoint.function.Environment.Variables.METRICS).toBe('off');
  });

  test('all that the functions could not use is one error already at synth', () => {
    const environment = { COINPAPRIKA_BASE_URL: 'coinpaprika', UPSTREAM_TIMEOUT_MS: 'abc' };
    const nodeEnv = 'prodution' as 'production'; // what a configuration that nobody type-checked may hold
    expect(() =>
      templateOf('dev', { environment, nodeEnv, secretNames: { DEMO_KYE: 'demo', DEMO_EKY: 'x' } }),
    ).toThrow(`Settings of stage dev in infra/config.ts that cannot be used:
  NODE_ENV is "prodution", which is none of production, development, test: anybody may call without a key
  COINPAPRIKA_BASE_URL="coinpaprika" must be an http:// or https:// URL
  UPSTREAM_TIMEOUT_MS="abc" must be an integer from 100 to 14000
  secretNames has DEMO_KYE, which no route reads
  secretNames has DEMO_EKY, which no route reads`);
  });

  test('without configuration there are the keys, the metrics’ namespace, and the budget and the table if the provider is asked', () => {
    const template = templateOf('prod', { secretNames: {} });
    const [tableId] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
    for (const endpoint of endpointsOf(template)) {
      const { REGISTRY_BUCKET, SNAPSHOT_BUCKET, HISTORY_BUCKET, SOURCES_BUCKET, ...variables } =
        endpoint.function.Environment.Variables;
      const asksProvider = /(ticker\/|ohlcv|price|mcp|export|udf|coingecko)/.test(endpoint.routeKey);
      const { NODE_ENV, CLIENT_API_KEY, METRICS_NAMESPACE, ORIGIN_SECRET, KEYS_TABLE, ...settings } =
        variables;
      expect(KEYS_TABLE).toEqual({ Ref: tableId });
      const given = [NODE_ENV, CLIENT_API_KEY, METRICS_NAMESPACE, ORIGIN_SECRET];
      expect(given).not.toContain(undefined);
      const shared = {
        UPSTREAM_MONTHLY_BUDGET: '20000',
        UPSTREAM_SCHEDULED_DAILY: '145',
        SHARED_TABLE: { Ref: tableId },
      };
      expect(settings).toEqual(asksProvider ? shared : {});
      for (const bucket of [REGISTRY_BUCKET, SNAPSHOT_BUCKET, HISTORY_BUCKET, SOURCES_BUCKET])
        expect(bucket ?? { Ref: 'DataBucket' }).toEqual({ Ref: expect.stringMatching(/^DataBucket/) });
    }
  });

  test('a secret that a route always needs is given to its function by its name', () => {
    const given = functionEnvironment(
      { secrets: ['DEMO_KEY'] },
      { nodeEnv: 'production', environment: {}, secretNames: { DEMO_KEY: 'demo' } },
      'marketdata-test',
    );

    expect(given).toMatchObject({ DEMO_KEY: 'secretsmanager:demo' });
  });

  test('the outputs name the address and the command that prints the key', () => {
    const outputs = templateOf('prod').toJSON().Outputs;

    expect(Object.keys(outputs)).toEqual([
      'PageUrl',
      'ApiUrl',
      'EdgeKeysArn',
      'ClientApiKeyCommand',
      'SharedTableName',
      'DataBucketName',
      'AlarmTopicArn',
      'TicketTopicArn',
    ]);
    expect(JSON.stringify(outputs.ClientApiKeyCommand.Value)).toContain(
      'aws secretsmanager get-secret-value',
    );
    for (const { Description } of Object.values<{ Description?: string }>(outputs))
      expect(Description).toBeTruthy();
  });
});
