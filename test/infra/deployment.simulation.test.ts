/** How new versions of the functions go live and are rolled back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { deployedJobs, requiredConcurrency } from '../../infra/deployed-routes.ts';
import { ALIAS } from '../../scripts/versions.ts';
import { alarmsById, allSecretNames, endpointsOf, stackOf, templateOf } from './synthesized.ts';

const prod = templateOf('prod');
const aliases = prod.findResources('AWS::Lambda::Alias');

describe('a deployment to prod', () => {
  test('sends a tenth of each route’s requests to the new version of its function for five minutes', () => {
    const groups = prod.findResources('AWS::CodeDeploy::DeploymentGroup');
    for (const { integration, functionId } of endpointsOf(prod)) {
      const alias = aliases[integration.IntegrationUri.Ref];
      expect(alias?.Properties).toMatchObject({ Name: 'live', FunctionName: { Ref: functionId } });
      const { CodeDeployLambdaAliasUpdate: update } = alias?.UpdatePolicy ?? {};
      expect(groups[update.DeploymentGroupName.Ref]?.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      });
    }
    expect(Object.keys(aliases)).toHaveLength(routes.length + deployedJobs(jobs, stageConfig('prod')).length);
  });

  test('leaves the alias and the previous version of every function for a rollback, in all stages', () => {
    for (const stage of stageNames) {
      const template = templateOf(stage);
      const found = template.findResources('AWS::Lambda::Alias', { Properties: { Name: ALIAS } });
      const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
      const versions = Object.values(template.findResources('AWS::Lambda::Version'));
      const ours = functions.filter((id) => !id.startsWith('Custom'));

      expect([Object.keys(found).length, versions.length]).toEqual([ours.length, ours.length]);
      // One of a deployment that failed does not stay: Lambda would not publish it again.
      for (const version of versions)
        expect(version).toMatchObject({
          DeletionPolicy: 'RetainExceptOnCreate',
          UpdateReplacePolicy: 'Retain',
        });
    }
  });

  test.each(routes)('a new version of $name is rolled back for its own faults only', (route) => {
    const alarms = alarmsById(prod);
    const groups = Object.entries(prod.findResources('AWS::CodeDeploy::DeploymentGroup'));
    const [, group] = groups.find(([id]) => id.startsWith(`Canary${constructId(route)}Deployment`)) ?? [];
    const [watched, ...others] = (group?.Properties.AlarmConfiguration.Alarms ?? []).map(
      ({ Name }: { Name: { Ref: string } }) => alarms[Name.Ref],
    );
    const fn = endpointsOf(prod).find(({ functionId }) => functionId.startsWith(constructId(route)));
    const name = { Ref: fn?.functionId };
    const version = { 'Fn::GetAtt': [expect.stringMatching(/CurrentVersion/), 'Version'] };
    const ofLambda = (MetricName: string) => ({
      Namespace: 'AWS/Lambda',
      MetricName,
      Dimensions: [
        { Name: 'ExecutedVersion', Value: version },
        { Name: 'FunctionName', Value: name },
        { Name: 'Resource', Value: { 'Fn::Join': ['', [name, ':live']] } },
      ],
    });
    const ofOurs = {
      Namespace: 'marketdata-prod',
      MetricName: 'OwnFaults',
      Dimensions: [
        { Name: 'route', Value: route.name },
        { Name: 'version', Value: version },
      ],
    };

    expect(others).toEqual([]);
    expect(watched).toMatchObject({
      // Another alarm for each version: one that is only changed would begin in the state of the version before.
      AlarmName: expect.stringMatching(/-\{version\}$/),
      TreatMissingData: 'notBreaching',
      Metrics: [
        { Expression: 'SUM([crashes, throttles, faults])' },
        ...[ofLambda('Errors'), ofLambda('Throttles'), ofOurs].map((Metric) => ({
          MetricStat: { Metric },
        })),
      ],
    });
  });

  test('leaves room for two more routes below CloudFormation’s limit of 500 resources', () => {
    const resources = Object.keys(prod.toJSON().Resources);
    const ofOneRoute = resources.filter((id) => id.includes('GatewayDefault')).length;

    expect(ofOneRoute).toBeGreaterThan(8);
    expect(resources.length + 2 * ofOneRoute).toBeLessThanOrEqual(500);
  });

  test('needs a quota of at most 1,000 containers, which synth and documents state', () => {
    const required = (secretNames: StageConfig['secretNames']) =>
      requiredConcurrency(routes, { secretNames });
    // Lambda keeps 100 unreserved.
    const sum = (some: readonly { maxConcurrency: number }[]) =>
      some.reduce((total, { maxConcurrency }) => total + maxConcurrency, 100);
    const [least, most] = [required({}), required(allSecretNames)];

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

test.each([
  ['dev', {}],
  ['prod', { monthlyExport: true, canary: false }],
])('a deployment to %s without canaries moves the aliases at once', (stage, changes) => {
  const template = templateOf(stage, changes);

  expect(JSON.stringify(template.findResources('AWS::Lambda::Alias'))).not.toContain('UpdatePolicy');
  template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
  expect(JSON.stringify(alarmsById(template))).not.toContain('{version}');
});
