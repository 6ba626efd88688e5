import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { routeKeyOf } from '../../http-api/route-key.ts';
import type { StageConfig } from '../../infra/config.ts';
import { exchanges } from '../../shared/providers/sources.ts';
import { configured, endpointsOf, templateOf } from './synthesized.ts';

/** The environment of each route's function, by the route's key. */
const environments = (stage: string, changes: Partial<StageConfig> = {}) =>
  endpointsOf(templateOf(stage, changes)).map(({ routeKey, function: fn }) => ({
    routeKey,
    variables: fn.Environment.Variables as Record<string, unknown>,
  }));

describe('the environment of the functions', () => {
  test('has the generated client key, which is another secret under another name', () => {
    const keyOf = (changes: Partial<StageConfig>) => {
      const secrets = templateOf('prod', changes).findResources('AWS::SecretsManager::Secret');
      const [id, secret] = Object.entries(secrets).find(([id]) => id.startsWith('ClientApiKey')) ?? [];
      expect(secret?.Properties.GenerateSecretString).toMatchObject({
        PasswordLength: 40,
        ExcludePunctuation: true,
      });
      for (const { variables } of environments('prod', changes))
        expect(variables.CLIENT_API_KEY).toEqual({
          'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']],
        });
      return id;
    };

    expect(keyOf(configured)).not.toBe(keyOf({}));
  });

  test('without configuration has keys, namespace, buckets, and budget and table for provider requests', () => {
    const template = templateOf('prod', { secretNames: {} });
    const [tableId] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
    for (const { routeKey, variables } of environments('prod', { secretNames: {} })) {
      const asksProvider = routes.some((route) => route.rows && routeKeyOf(route) === routeKey);
      const settings = Object.entries(variables).filter(([name]) => !name.endsWith('_BUCKET'));
      expect(Object.fromEntries(settings), routeKey).toEqual({
        NODE_ENV: 'production',
        METRICS_NAMESPACE: 'marketdata-prod',
        CLIENT_API_KEY: expect.anything(),
        ORIGIN_SECRET: expect.anything(),
        KEYS_TABLE: { Ref: tableId },
        ...(asksProvider && {
          UPSTREAM_MONTHLY_BUDGET: '20000',
          // Every ten minutes a list; once a day the coins, and the markets of each exchange.
          UPSTREAM_SCHEDULED_DAILY: String(144 + 1 + exchanges.size),
          SHARED_TABLE: { Ref: tableId },
        }),
      });
    }
  });

  test('has the pipeline’s settings everywhere, and others only if the route names them', () => {
    for (const { variables } of environments('prod', configured))
      expect(variables).toMatchObject({ METRICS: 'off', ERROR_TEXTS: 'on' });
    const url = 'https://api-pro.coinpaprika.com/v1';
    const key = '{{resolve:secretsmanager:marketdata/coinpaprika:SecretString:::}}';
    const given = environments('prod', configured).map(({ routeKey, variables }) => [
      routeKey,
      variables.COINPAPRIKA_BASE_URL,
      variables.COINPAPRIKA_API_KEY,
    ]);
    expect(given).toEqual(
      expect.arrayContaining([
        ['GET /api/marketdata/ticker/{id}', url, key],
        ['GET /api/marketdata/ohlcv/{id}', url, key],
        ['$default', undefined, undefined],
      ]),
    );
  });

  test('of the probe has the page’s address and the client key', () => {
    const probeOf = (changes: Partial<StageConfig>) => {
      const functions = templateOf('prod', changes).findResources('AWS::Lambda::Function');
      const [, probe] = Object.entries(functions).find(([id]) => id.startsWith('MarketdataProbe')) ?? [];
      return probe?.Properties.Environment.Variables;
    };
    const domainName = { 'Fn::GetAtt': [expect.stringMatching(/^Edge/), expect.anything()] };

    expect(probeOf({})).toMatchObject({
      PAGE_URL: { 'Fn::Join': ['', ['https://', domainName, '/']] },
      CLIENT_API_KEY: expect.anything(),
    });
    expect(probeOf({})).not.toHaveProperty('ORIGIN_SECRET');
  });

  test('that functions could not use is one error at synth, which lists all problems', () => {
    const environment = { COINPAPRIKA_BASE_URL: 'coinpaprika', UPSTREAM_TIMEOUT_MS: 'abc' };
    const nodeEnv = 'prodution' as 'production'; // an untyped configuration may hold it
    expect(() =>
      templateOf('dev', { environment, nodeEnv, secretNames: { DEMO_KYE: 'demo', DEMO_EKY: 'x' } }),
    ).toThrow(`Settings of stage dev in infra/config.ts that cannot be used:
  NODE_ENV is "prodution", which is none of production, development, test: anybody may call without a key
  COINPAPRIKA_BASE_URL="coinpaprika" must be an http:// or https:// URL
  UPSTREAM_TIMEOUT_MS="abc" must be an integer from 100 to 14000
  secretNames has DEMO_KYE, which no route reads
  secretNames has DEMO_EKY, which no route reads`);
  });

  test('has outputs with the addresses and the command for the key', () => {
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
