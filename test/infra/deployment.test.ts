import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/route-function.ts';
import { readTemplate } from '../../local/template.ts';
import { endpointsOf, newApp, stackOf, templateOf } from './synthesized.ts';

const prod = templateOf('prod');
const dev = templateOf('dev');

describe('a deployment to prod', () => {
  const aliases = prod.findResources('AWS::Lambda::Alias');
  const groups = prod.findResources('AWS::CodeDeploy::DeploymentGroup');

  test('every route leads to an alias of its function, and through it to one version', () => {
    for (const { integration, functionId } of endpointsOf(prod)) {
      const alias = aliases[integration.IntegrationUri.Ref];
      expect(alias?.Properties).toMatchObject({ Name: 'live', FunctionName: { Ref: functionId } });
    }
    expect(Object.keys(aliases)).toHaveLength(routes.length);
  });

  test('a new version gets a tenth of the requests for five minutes', () => {
    for (const alias of Object.values(aliases)) {
      const { CodeDeployLambdaAliasUpdate: update } = alias.UpdatePolicy ?? {};
      const group = groups[update?.DeploymentGroupName.Ref];
      expect(group?.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      });
    }
  });

  test.each(routes)('a new version of $name is taken back when it crashes or answers 5xx', (route) => {
    const alarms = prod.findResources('AWS::CloudWatch::Alarm');
    const [group] = Object.entries(groups)
      .filter(([id]) => id.startsWith(`Canary${constructId(route)}`))
      .map(([, { Properties }]) => Properties);
    const watched = group?.AlarmConfiguration.Alarms.map(
      ({ Name }: { Name: { Ref: string } }) => alarms[Name.Ref]?.Properties.AlarmName,
    );

    expect(group?.AlarmConfiguration.Enabled).toBe(true);
    expect(watched).toEqual([`marketdata-prod-${constructId(route)}Crashes`, 'marketdata-prod-ServerErrors']);
    expect(group?.AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
    });
  });

  test.each(routes)('$name has the containers that its route allows it, and no more', (route) => {
    expect(route.maxConcurrency).toBeGreaterThan(0);
    const endpoint = endpointsOf(prod).find(({ functionId }) => functionId.startsWith(constructId(route)));
    expect(endpoint?.function.ReservedConcurrentExecutions).toBe(route.maxConcurrency);
  });

  test('what is reserved leaves the 100 that Lambda asks for, of the 1,000 that an account usually has', () => {
    const sum = routes.reduce((total, { maxConcurrency = 0 }) => total + maxConcurrency, 0);
    expect(sum).toBeLessThanOrEqual(1_000 - 100);
  });
});

describe('a deployment to dev', () => {
  test('it is done at once, and reserves nothing', () => {
    dev.resourceCountIs('AWS::Lambda::Alias', 0);
    dev.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    for (const endpoint of endpointsOf(dev))
      expect(endpoint.function).not.toHaveProperty('ReservedConcurrentExecutions');
  });
});

test.each(stageNames)('the local service finds the function of every route in stage %s', (stage) => {
  const app = newApp();
  stackOf(stage, {}, app);
  const template = readTemplate(app.synth().directory);

  const found = template.routes.map(({ key, functionId }) => [
    key,
    template.functions.find(({ id }) => id === functionId)?.name,
  ]);
  expect(found.sort()).toEqual(
    routes
      .map((route) => [
        route.path === '$default' ? route.path : `${route.method} ${route.path}`,
        constructId(route),
      ])
      .sort(),
  );
});
