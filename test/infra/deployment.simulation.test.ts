import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { pathsOf } from '../../infra/constructs/api.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { deployedJobs, requiredConcurrency } from '../../infra/deployed-routes.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { readTemplate } from '../../local/template.ts';
import { ALIAS } from '../../scripts/versions.ts';
import {
  type AlarmProperties,
  alarmNamesOf,
  alarmsById,
  allSecretNames,
  endpointsOf,
  newApp,
  stackOf,
  templateOf,
} from './synthesized.ts';

const integrationsOf = (template: Template) => template.findResources('AWS::ApiGatewayV2::Integration');
const prod = templateOf('prod');
const ownJobs = deployedJobs(jobs, stageConfig('prod'));
const dev = templateOf('dev');

describe('a deployment to prod', () => {
  const aliases = prod.findResources('AWS::Lambda::Alias');
  const groups = prod.findResources('AWS::CodeDeploy::DeploymentGroup');
  const alarms = alarmsById(prod);

  test('every route leads to an alias of its function, and through it to one version', () => {
    for (const { integration, functionId } of endpointsOf(prod)) {
      const alias = aliases[integration.IntegrationUri.Ref];
      expect(alias?.Properties).toMatchObject({ Name: 'live', FunctionName: { Ref: functionId } });
    }
    expect(Object.keys(aliases)).toHaveLength(routes.length + ownJobs.length);
  });

  test.each(ownJobs)('$name is invoked, retried and given up through an alias of its function too', (job) => {
    const id = constructId(job);
    const [aliasId, alias] =
      Object.entries(aliases).find(([one]) => one.startsWith(`${id}FunctionLive`)) ?? [];
    const reference = { Ref: expect.stringMatching(new RegExp(`^${id}Function`)) };
    expect(alias?.Properties).toMatchObject({ Name: ALIAS, FunctionName: reference });
    expect(alias).not.toHaveProperty('UpdatePolicy');
    prod.hasResourceProperties('AWS::Scheduler::Schedule', {
      Description: job.summary,
      Target: { Arn: { Ref: aliasId } },
    });
    const [config, ...others] = Object.values(prod.findResources('AWS::Lambda::EventInvokeConfig')).filter(
      ({ Properties }) => Properties.FunctionName.Ref.startsWith(`${id}Function`),
    );
    expect(config?.Properties).toMatchObject({ MaximumRetryAttempts: job.retries });
    expect(config?.Properties.Qualifier).not.toBe('$LATEST');
    expect(others).toEqual([]);
  });

  test('a rollback finds the functions of routes and jobs alike', () => {
    for (const template of stageNames.map((stage) => templateOf(stage))) {
      const found = template.findResources('AWS::Lambda::Alias', { Properties: { Name: ALIAS } });
      const ours = Object.entries(template.findResources('AWS::Lambda::Function')).filter(
        ([id]) => !id.startsWith('Custom'),
      );
      expect(Object.keys(found)).toHaveLength(ours.length);
      // What it goes back to, and where the next deployment goes forward to.
      template.resourceCountIs('AWS::Lambda::Version', ours.length);
    }
  });

  test('a new version gets a tenth of the requests for five minutes', () => {
    for (const { integration } of endpointsOf(prod)) {
      const { CodeDeployLambdaAliasUpdate: update } =
        aliases[integration.IntegrationUri.Ref]?.UpdatePolicy ?? {};
      const group = groups[update?.DeploymentGroupName.Ref];
      expect(group?.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      });
    }
  });

  test.each(routes)(
    'a new version of $name is taken back for its own faults, and for nobody else’s',
    (route) => {
      const [group] = Object.entries(groups)
        .filter(([id]) => id.startsWith(`Canary${constructId(route)}Deployment`))
        .map(([, { Properties }]) => Properties);
      const watched: AlarmProperties[] = group?.AlarmConfiguration.Alarms.map(
        ({ Name }: { Name: { Ref: string } }) => alarms[Name.Ref],
      );
      const [fn] = endpointsOf(prod).filter(({ functionId }) => functionId.startsWith(constructId(route)));
      const name = { Ref: fn?.functionId };
      const version = { 'Fn::GetAtt': [expect.stringMatching(/CurrentVersion/), 'Version'] };
      const resource = { 'Fn::Join': ['', [name, ':live']] };
      const ofVersion = [
        { Name: 'ExecutedVersion', Value: version },
        { Name: 'FunctionName', Value: name },
        { Name: 'Resource', Value: resource },
      ];

      expect(group?.AlarmConfiguration.Enabled).toBe(true);
      expect(group?.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      expect(watched).toHaveLength(1);
      for (const alarm of watched) {
        const [sum, ...metrics] = alarm.Metrics ?? [];
        expect(sum).toMatchObject({ Expression: 'SUM([crashes, throttles, faults])' });
        expect(metrics).toMatchObject([
          {
            MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: ofVersion } },
          },
          {
            MetricStat: {
              Metric: { Namespace: 'AWS/Lambda', MetricName: 'Throttles', Dimensions: ofVersion },
            },
          },
          {
            MetricStat: {
              Metric: {
                Namespace: 'marketdata-prod',
                MetricName: 'OwnFaults',
                Dimensions: [
                  { Name: 'route', Value: route.name },
                  { Name: 'version', Value: version },
                ],
              },
            },
          },
        ]);
        expect(alarm.TreatMissingData).toBe('notBreaching');
        // Another alarm for each version: one that is only changed would begin in the state of the version before.
        expect(alarm.AlarmName).toMatch(/-\{version\}$/);
      }
    },
  );

  test('the version before stays, to go back to, and one of a failed deployment does not', () => {
    for (const template of [prod, dev]) {
      for (const version of Object.values(template.findResources('AWS::Lambda::Version')))
        expect(version).toMatchObject({
          DeletionPolicy: 'RetainExceptOnCreate',
          UpdateReplacePolicy: 'Retain',
        });
    }
  });

  test.each(routes)('$name has the containers that its route allows it, and no more', (route) => {
    expect(route.maxConcurrency).toBeGreaterThan(0);
    const endpoint = endpointsOf(prod).find(({ functionId }) => functionId.startsWith(constructId(route)));
    expect(endpoint?.function.ReservedConcurrentExecutions).toBe(route.maxConcurrency);
  });

  test('the template leaves room for another two routes below CloudFormation’s limit of 500 resources', () => {
    const resources = Object.entries<{ Type: string }>(prod.toJSON().Resources);
    const ofOneRoute = resources.filter(([id]) =>
      id.includes(constructId({ name: 'gateway/default' })),
    ).length;

    expect(ofOneRoute).toBeGreaterThan(8);
    expect(resources.length + 2 * ofOneRoute).toBeLessThanOrEqual(500);
  });

  test('what is reserved and the 100 that Lambda keeps are said at synth and in the documents, and fit into 1,000', () => {
    const required = (secretNames: StageConfig['secretNames']) =>
      requiredConcurrency(routes, { secretNames });
    const [least, most] = [required({}), required(allSecretNames)];
    const sum = (some: readonly { maxConcurrency: number }[]) =>
      some.reduce((total, { maxConcurrency }) => total + maxConcurrency, 100);

    expect([least, most]).toEqual([
      sum(routes.filter(({ allSecrets }) => allSecrets.length === 0)),
      sum(routes),
    ]);
    expect(most).toBeLessThanOrEqual(1_000);
    const written = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    expect(written.replace(/\s+/g, ' ')).toContain(
      `a Lambda quota of ${least} concurrent executions (${most} with every protocol route)`,
    );
    const { metadata } = stackOf('prod', { secretNames: {} }).node;
    expect(metadata.map(({ data }) => data).join()).toContain(`must be ${least} `);
  });
});

describe('a deployment without canaries', () => {
  const atOnce = templateOf('prod', { canary: false });

  test('it moves the same aliases that canaries move, at once', () => {
    const withoutPolicy = Object.entries(prod.findResources('AWS::Lambda::Alias')).map(
      ([id, { UpdatePolicy: _, ...alias }]) => [id, alias],
    );

    expect(Object.entries(atOnce.findResources('AWS::Lambda::Alias'))).toEqual(withoutPolicy);
    expect(integrationsOf(atOnce)).toEqual(integrationsOf(prod));
    atOnce.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    expect(alarmNamesOf(atOnce).filter((name) => name.endsWith('{version}'))).toEqual([]);
  });
});

describe('a deployment to dev', () => {
  test('it is done at once, and reserves nothing', () => {
    dev.resourceCountIs('AWS::Lambda::Alias', routes.length + ownJobs.length);
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
      .flatMap((route) => {
        return pathsOf(route, stageConfig(stage)).flatMap((path) => {
          const heads = route.method === 'GET' && !route.adapter ? [`HEAD ${path}`] : [];
          return [routeKeyOf({ ...route, path }), ...heads].map((key) => [key, constructId(route)]);
        });
      })
      .sort(),
  );
});
