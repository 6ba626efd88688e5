import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { stageNames } from '../../infra/config.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { allEndpointsOf, configured, endpointsOf, templateOf } from './synthesized.ts';

describe('the API', () => {
  test('it has the routes of the table, each with a payload of format 2.0', () => {
    const endpoints = endpointsOf(templateOf('dev'));

    expect(endpoints.map(({ routeKey }) => routeKey).sort()).toEqual(routes.map(routeKeyOf).sort());
    for (const { integration } of endpoints) {
      expect(integration).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    }
  });

  test('each GET takes HEAD, by the same function', () => {
    const [gets, heads] = ['GET', 'HEAD'].map((method) =>
      allEndpointsOf(templateOf('prod'))
        .filter(({ routeKey }) => routeKey.startsWith(`${method} `))
        .map(({ routeKey, functionId }) => [routeKey.slice(method.length + 1), functionId])
        .sort(),
    );

    expect(gets?.length).toBeGreaterThan(10);
    expect(heads).toEqual(gets);
  });

  test('it deploys by itself to one stage, throttled as configured', () => {
    const template = templateOf('prod', configured);

    template.resourceCountIs('AWS::ApiGatewayV2::Stage', 1);
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
  });

  test('web pages of the configured origins may call it and read the headers it answers', () => {
    templateOf('prod', configured).hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'HTTP',
      CorsConfiguration: {
        AllowOrigins: ['https://a.example', 'https://b.example'],
        AllowMethods: ['GET', 'HEAD', 'POST'],
        AllowHeaders: Match.arrayWith([
          'content-type',
          'x-api-key',
          'authorization',
          'x-cg-demo-api-key',
          'x-cg-pro-api-key',
          'Idempotency-Key',
          'x-stainless-lang',
        ]),
        ExposeHeaders: Match.arrayWith([
          'RateLimit-Limit',
          'Retry-After',
          'Date',
          'Age',
          'X-Cache',
          'x-data-source',
          'x-data-quality',
          'x-data-time',
          'cache-control',
        ]),
      },
    });
  });

  test('without configured origins there is no CORS at all', () => {
    const [api] = Object.values(
      templateOf('dev', { corsOrigins: [] }).findResources('AWS::ApiGatewayV2::Api'),
    );

    expect(api?.Properties).not.toHaveProperty('CorsConfiguration');
  });

  test.each(stageNames)('in stage %s, no origin is a wildcard', (stage) => {
    const [api] = Object.values(templateOf(stage).findResources('AWS::ApiGatewayV2::Api'));

    expect(api?.Properties.CorsConfiguration?.AllowOrigins ?? []).not.toContain('*');
  });

  test('an access log line is JSON that tells nothing about the caller', () => {
    const [stage] = Object.values(templateOf('prod').findResources('AWS::ApiGatewayV2::Stage'));
    const entry: Record<string, string> = JSON.parse(stage?.Properties.AccessLogSettings.Format);

    expect(Object.values(entry)).toEqual([
      '$context.requestTime',
      '$context.requestId',
      '$context.routeKey',
      '$context.status',
      '$context.responseLength',
      '$context.responseLatency',
      '$context.integrationLatency',
      '$context.integrationStatus',
      '$context.integrationErrorMessage',
    ]);
  });

  test('the access log is kept as long as the stage says', () => {
    const template = templateOf('prod', configured);
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const logs = template.findResources('AWS::Logs::LogGroup');

    const logId: string = stage?.Properties.AccessLogSettings.DestinationArn['Fn::GetAtt'][0];
    expect(logs[logId]?.Properties.RetentionInDays).toBe(3);
  });
});
