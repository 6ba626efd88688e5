/** The API of a stage, its functions and their settings, and its limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { routeKeyOf } from '../../http-api/route-key.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { deployedDomains, deployedJobs, deployedRoutes } from '../../infra/deployed-routes.ts';
import {
  alarmsById,
  allEndpointsOf,
  configured,
  edgeConfigOf,
  endpointsOf,
  newApp,
  stackOf,
  templateOf,
} from './synthesized.ts';

const apiOf = (template: Template) =>
  Object.values(template.findResources('AWS::ApiGatewayV2::Api'))[0]?.Properties;

/** All but the CDK's, which empties a bucket that goes with its stack. */
const ownFunctions = (template: Template) =>
  Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(([id, { Properties }]) =>
    id.startsWith('CustomS3AutoDeleteObjects') ? [] : [Properties],
  );

describe('the API', () => {
  test('has the routes of the table with payload format 2.0, and each GET also as HEAD', () => {
    const all = allEndpointsOf(templateOf('prod'));
    const heads = all.filter(({ routeKey }) => routeKey.startsWith('HEAD '));
    const gets = all.filter(({ routeKey }) => routeKey.startsWith('GET '));

    expect(
      endpointsOf(templateOf('dev'))
        .map(({ routeKey }) => routeKey)
        .sort(),
    ).toEqual(routes.map(routeKeyOf).sort());
    expect(
      heads.map(({ routeKey, functionId }) => [routeKey.replace('HEAD', 'GET'), functionId]).sort(),
    ).toEqual(gets.map(({ routeKey, functionId }) => [routeKey, functionId]).sort());
    for (const { integration } of all)
      expect(integration).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
  });

  test('deploys automatically to one stage, throttled as configured, with an access log without callers', () => {
    const template = templateOf('prod', configured);
    const [{ Properties } = { Properties: {} }, ...others] = Object.values(
      template.findResources('AWS::ApiGatewayV2::Stage'),
    );
    const { DestinationArn, Format } = Properties.AccessLogSettings;

    expect(others).toEqual([]);
    expect(Properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
    expect(Object.values(JSON.parse(Format))).toEqual([
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
    const logs = template.findResources('AWS::Logs::LogGroup');
    expect(logs[DestinationArn['Fn::GetAtt'][0]]?.Properties.RetentionInDays).toBe(3);
  });

  test('lets only web pages of the configured origins call it and read its headers', () => {
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
    expect(apiOf(templateOf('hobby'))).not.toHaveProperty('CorsConfiguration');
    for (const stage of stageNames)
      expect(apiOf(templateOf(stage)).CorsConfiguration?.AllowOrigins ?? []).not.toContain('*');
  });
});

describe('the functions', () => {
  const template = templateOf('prod', configured);

  test('are one for each route, with the route’s settings and a log group of its own', () => {
    const logs = template.findResources('AWS::Logs::LogGroup');
    const endpoints = endpointsOf(template);
    const groups = endpoints.map((endpoint) => endpoint.function.LoggingConfig.LogGroup.Ref);
    const running = endpoints.map(({ routeKey, function: fn }) => [
      routeKey,
      { ...fn, RetentionInDays: logs[fn.LoggingConfig.LogGroup.Ref]?.Properties.RetentionInDays },
    ]);

    expect(new Set(endpoints.map(({ functionId }) => functionId)).size).toBe(routes.length);
    expect(new Set(groups).size).toBe(routes.length);
    expect(Object.fromEntries(running)).toMatchObject(
      Object.fromEntries(
        routes.map((route) => [
          routeKeyOf(route),
          {
            Runtime: 'nodejs24.x',
            Architectures: ['arm64'],
            Handler: 'index.handler',
            MemorySize: route.memoryMb,
            Timeout: route.timeoutSeconds,
            Description: route.summary,
            ReservedConcurrentExecutions: route.maxConcurrency,
            TracingConfig: { Mode: 'Active' },
            RetentionInDays: 3,
          },
        ]),
      ),
    );
    // API Gateway waits longer than a function may run.
    for (const { integration, function: fn } of endpoints)
      expect(integration.TimeoutInMillis).toBeGreaterThan(fn.Timeout * 1000);
  });

  test('are those of routes and jobs only, tagged, and in dev neither traced nor reserved', () => {
    for (const stage of stageNames) {
      const functions = ownFunctions(templateOf(stage));
      expect(functions).toHaveLength(routes.length + deployedJobs(jobs, stageConfig(stage)).length);
      for (const { Tags } of functions)
        expect(Tags).toEqual([
          { Key: 'project', Value: 'marketdata' },
          { Key: 'stage', Value: stage },
        ]);
    }
    for (const fn of ownFunctions(templateOf('dev')))
      expect(fn).toEqual(
        expect.not.objectContaining({
          TracingConfig: expect.anything(),
          ReservedConcurrentExecutions: expect.anything(),
        }),
      );
  });

  test.each([
    ['functionsFolder', /No bundle of marketdata\/ticker .*: run npm run build first/],
    ['registryFolder', /No coin registry in .*: run npm run registry -- --source simulated first/],
    ['pageFolder', /No web page in .*nothing-here: run npm run build first/],
  ])('have to be built: without %s the error names the command', (folder, error) => {
    const missing = join(import.meta.dirname, 'nothing-here');
    expect(() => stackOf('dev', {}, newApp(), { [folder]: missing })).toThrow(error);
  });
});

describe('the routes of a stage', () => {
  const keysOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `marketdata/${name}`]));
  const namesWith = (secrets: readonly string[]) =>
    deployedRoutes(routes, { secretNames: keysOf(secrets) }).map(({ name }) => name);
  const isWithin = (part: readonly string[], set: readonly string[]) =>
    part.length < set.length && part.every((each) => set.includes(each));
  /** The smallest ones: a route may do more with another secret, and exist without it. */
  const sets = routes
    .filter(({ allSecrets }) => allSecrets.length > 0)
    .flatMap(({ name, secrets, requestSecrets = [[]] }) =>
      requestSecrets
        .filter((set) => !requestSecrets.some((other) => isWithin(other, set)))
        .map((set) => ({ name, set: [...secrets, ...set] })),
    );

  test('are those whose secrets it names; without any there are no protocols, nor their alarms', () => {
    const bare = templateOf('prod', { secretNames: {} });
    expect(
      endpointsOf(bare)
        .map(({ routeKey }) => routeKey)
        .sort(),
    ).toEqual(
      routes
        .filter(({ allSecrets }) => allSecrets.length === 0)
        .map(routeKeyOf)
        .sort(),
    );
    for (const { name, set } of sets) {
      expect(namesWith(set)).toContain(name);
      for (const lacking of set)
        expect(namesWith(set.filter((each) => each !== lacking))).not.toContain(name);
    }
    const names = Object.values(alarmsById(bare)).map(({ AlarmName }) => AlarmName);
    const present = deployedDomains(domains, { secretNames: {} });
    for (const domain of domains)
      for (const { name } of domain.alarms ?? [])
        expect(names.includes(`marketdata-prod-${name}`), name).toBe(present.includes(domain));
    expect(deployedRoutes(routes, stageConfig('local'))).toEqual(routes);
    expect(stageConfig('local').account).toBe('000000000000'); // it cannot be deployed
  });

  test('get the names of secrets that they declare and the stage has, and no others', () => {
    const [{ set } = { set: [] }] = sets.toSorted((a, b) => b.set.length - a.set.length);
    const endpoints = endpointsOf(templateOf('prod', { secretNames: keysOf(set) }));

    for (const route of deployedRoutes(routes, { secretNames: keysOf(set) })) {
      const key = routeKeyOf(route);
      const held = endpoints.find(({ routeKey }) => routeKey === key)?.function.Environment.Variables;
      for (const name of set)
        expect(held[name], `${name} of ${key}`).toEqual(
          route.allSecrets.includes(name) ? `secretsmanager:marketdata/${name}` : undefined,
        );
    }
  });
});

test('a flood in prod fills its route before the gateway, as documented', () => {
  const { throttle, reserveConcurrency } = stageConfig('prod');
  const { firewall } = edgeConfigOf('prod');
  const perAddress = firewall ? firewall.requestsPerFiveMinutes / 300 : Number.POSITIVE_INFINITY;
  // Lambda takes ten requests a second for each container, however short they are (Lambda quotas).
  const ofRoutes = routes.map(({ maxConcurrency }) => 10 * maxConcurrency);
  const ofAllRoutes = ofRoutes.reduce((sum, requests) => sum + requests, 0);
  const { requestsPerSecond: limit, burst } = throttle;

  expect(reserveConcurrency).toBe(true);
  expect(limit).toBeGreaterThan(ofAllRoutes);
  expect(400 * perAddress).toBeLessThan(limit);
  // What an account has by default, half of it left to others.
  expect(limit).toBeLessThanOrEqual(10_000 / 2);
  expect(burst).toBeLessThanOrEqual(5_000);
  const document = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8').replace(
    /\s+/g,
    ' ',
  );
  const written = (value: number) => Math.round(value).toLocaleString('en-US');
  for (const text of [
    `| one address | ${perAddress.toFixed(1)} a second |`,
    `| all callers | ${written(limit)} a second |`,
    `${Math.min(...ofRoutes)} to ${Math.max(...ofRoutes)} a second |`,
    `It takes ${written(Math.max(...ofRoutes) / perAddress)} addresses`,
    `and ${written(limit / perAddress)} to fill the gateway`,
  ])
    expect(document).toContain(text);
});
