import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, CfnResource, NestedStack, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { beforeAll, describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type EdgeConfig, type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { deployedJobs } from '../../infra/deployed-routes.ts';
import type { MarketDataStack } from '../../infra/stack.ts';
import { sharedKeyProblem } from '../../infra/stage-checks.ts';
import { validateOnSynth } from '../../infra/validation.ts';
import { servedKinds } from '../../shared/platform/job.ts';
import { edgeConfigOf, newApp, stackOf } from './synthesized.ts';

interface Finding {
  readonly ruleName: string;
  readonly reason?: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

interface PluginReport {
  readonly violations: readonly Finding[];
  readonly suppressedViolations?: readonly Finding[];
}

function validate(app: App): readonly PluginReport[] {
  const { directory } = app.synth();
  return JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')).pluginReports;
}

function validatedApp(): App {
  const app = newApp();
  validateOnSynth(app);
  return app;
}

const warningsOf = (stack: MarketDataStack) =>
  stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => data);

const places = (findings: readonly Finding[] = []) =>
  findings.flatMap(({ ruleName, violatingConstructs }) =>
    violatingConstructs.map(
      ({ constructPath }) => `${ruleName.replace(/[0-9A-F]{8}\.Arn/, '.Arn')} ${constructPath}`,
    ),
  );

const access = (kind: string) => `AwsSolutions-IAM5[Resource::<DataBucket.Arn>/${kind}/*]`;
const canaryRole = (stage: string) =>
  `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited] marketdata-${stage}/Canary/Role/Resource`;
/** X-Ray knows no resources. */
const traced = (stage: string) =>
  [
    ...routes.map((route) => `${constructId(route)}Role`),
    ...deployedJobs(jobs, stageConfig(stage)).map((job) => `${constructId(job)}/FunctionRole`),
  ].map((role) => `AwsSolutions-IAM5[Resource::*] marketdata-${stage}/${role}/Resource`);
const uploader = 'Edge/Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C';
/** Of the page, below the stack's own path. */
const ofPage = ({ region }: StageConfig, { firewall }: EdgeConfig) => [
  ...['CFR1', ...(firewall ? [] : ['CFR2']), 'CFR3', 'CFR4'].map(
    (rule) => `${rule} Edge/Distribution/Resource`,
  ),
  'S1 Edge/Bucket/Resource',
  `L1 ${uploader}/Resource`,
  `IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole] ${uploader}/ServiceRole/Resource`,
  ...[
    ...['Abort', 'DeleteObject', 'GetBucket', 'GetObject', 'List'].map((action) => `Action::s3:${action}*`),
    'Resource::*',
    'Resource::<Bucket.Arn>/*',
    // With the region the CDK knows the partition too.
    `Resource::arn:${region ? 'aws' : '<AWS::Partition>'}:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-${region ?? '<AWS::Region>'}/*`,
  ].map((finding) => `IAM5[${finding}] ${uploader}/ServiceRole/DefaultPolicy/Resource`),
];

/** A plan that is enough for all stages. */
const shared = { planRequests: 60_000 };

const ofCoins = (stage: string, role: string) =>
  `AwsSolutions-IAM5[Resource::<DataBucket.Arn>/history/coins.*] marketdata-${stage}/${role}/Resource`;

describe('validation at synth', { timeout: 60_000 }, () => {
  let reports: readonly PluginReport[];
  beforeAll(() => {
    const app = validatedApp();
    for (const stage of stageNames) stackOf(stage, shared, app);
    reports = validate(app);
  });

  test.each(stageNames)('stage %s has no finding but the acknowledged ones', (stage) => {
    const suppressed = reports.flatMap(({ suppressedViolations }) => places(suppressedViolations));
    const { edge } = stageConfig(stage);
    const originSecrets = edge ? edge.originSecrets : [];

    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(suppressed.filter((place) => place.includes(` marketdata-${stage}/`)).sort()).toEqual(
      [
        ...['ClientApiKey', ...originSecrets.map((name) => `OriginSecrets/${name}`)].map(
          (secret) => `AwsSolutions-SMG4 marketdata-${stage}/${secret}/Resource`,
        ),
        ...(stageConfig(stage).canary ? [canaryRole(stage)] : []),
        ...(stageConfig(stage).tracing ? traced(stage) : []),
        ...routes.flatMap((route) =>
          (route.method === 'GET' && !route.adapter ? ['', 'Head/'] : ['']).map(
            (head) => `AwsSolutions-APIG4 marketdata-${stage}/${constructId(route)}Route/${head}Resource`,
          ),
        ),
        ...(edge
          ? [
              ...ofPage(stageConfig(stage), edge).map(
                (place) => `AwsSolutions-${place.replace(' ', ` marketdata-${stage}/`)}`,
              ),
              `W2509 marketdata-${stage}/Edge`,
            ]
          : ['PageHtmlRoute1/', 'PageHtmlRoute1/Head/', 'GatewayDefaultRoute1/'].map(
              (place) => `AwsSolutions-APIG4 marketdata-${stage}/${place}Resource`,
            )),
        `AwsSolutions-S1 marketdata-${stage}/DataBucket/Bucket/Resource`,
        ...routes.flatMap((route) =>
          servedKinds
            .filter((kind) => route[kind])
            .map((kind) => `${access(kind)} marketdata-${stage}/${constructId(route)}Role/Resource`),
        ),
        `AwsSolutions-SQS3 marketdata-${stage}/Jobs/DeadLetters/Resource`,
        ...routes.flatMap((route) => (route.putsCoins ? [ofCoins(stage, `${constructId(route)}Role`)] : [])),
        ...deployedJobs(jobs, stageConfig(stage)).flatMap((job) => [
          ...(job.removesCoins ? [ofCoins(stage, `${constructId(job)}/FunctionRole`)] : []),
          ...[...(job.publishes ?? []), ...(job.reads ?? [])].map(
            (kind) => `${access(kind)} marketdata-${stage}/${constructId(job)}/FunctionRole/Resource`,
          ),
        ]),
      ].sort(),
    );
  });

  test('a bucket that is taken over adds none', () => {
    const app = validatedApp();
    for (const stage of stageNames) stackOf(stage, { ...shared, dataBucket: 'left-by-another-stack' }, app);

    const found = validate(app);
    expect(found.flatMap(({ violations }) => violations)).toEqual([]);
    const suppressed = found.flatMap(({ suppressedViolations }) => places(suppressedViolations));
    expect(suppressed.filter((place) => place.includes('S1') && place.includes('DataBucket'))).toEqual([]);
  });

  test('a copy of the history adds what its role needs, acknowledged', () => {
    const app = validatedApp();
    const copyTo = { bucketName: 'copies-of-marketdata', account: '111122223333', region: 'eu-west-1' };
    stackOf('prod', { ...shared, copyTo }, app);
    expect(validate(app).flatMap(({ violations }) => violations)).toEqual([]);
  });

  test('tracing adds the one wildcard that X-Ray needs, on each role, and a domain of one’s own takes away the finding about TLS', () => {
    const app = validatedApp();
    const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/0';
    const withDomain = { ...edgeConfigOf('prod'), domainNames: ['prices.example.com'], certificateArn };
    stackOf('prod', { ...shared, tracing: true, edge: withDomain }, app);

    const found = validate(app);
    expect(found.flatMap(({ violations }) => violations)).toEqual([]);
    const suppressed = found.flatMap(({ suppressedViolations }) => places(suppressedViolations));
    expect(
      suppressed.filter(
        (place) => place.startsWith('AwsSolutions-IAM5[Resource::*]') && !place.includes(uploader),
      ),
    ).toHaveLength(routes.length + deployedJobs(jobs, stageConfig('prod')).length);
    expect(suppressed.join()).not.toContain('CFR4');
  });

  test('an unacknowledged finding of the security rules stops the synth', () => {
    const app = validatedApp();
    new Secret(new Stack(app, 'Small'), 'Unacknowledged');

    expect(() => app.synth()).toThrow(/AwsSolutions-SMG4/);
  });

  test('a resource that CloudFormation would refuse stops the synth', () => {
    const app = validatedApp();
    new CfnResource(new Stack(app, 'Small'), 'Broken', {
      type: 'AWS::Logs::LogGroup',
      properties: { RetentionInDays: 'for ever' },
    });

    expect(() => app.synth()).toThrow(/RetentionInDays/);
  });

  test('so does one in a nested template', () => {
    const app = validatedApp();
    new CfnResource(new NestedStack(new Stack(app, 'Small'), 'Nested'), 'Broken', {
      type: 'AWS::Logs::LogGroup',
      properties: { RetentionInDays: 'for ever' },
    });

    expect(() => app.synth()).toThrow(/RetentionInDays/);
  });
});

describe('the stages', () => {
  test.each([...stageNames, 'local'])('stage %s runs in production, without a warning', (stage) => {
    expect(stageConfig(stage).nodeEnv).toBe('production');
    expect(warningsOf(stackOf(stage, shared))).toEqual([]);
  });

  test('stages that may together spend more than the plan of their key warn', () => {
    const warning = expect.stringContaining(
      'Stages hobby, dev, prod ask the provider without a key and together may spend 60000 requests a month of a plan of 20000 (planRequests): if you deploy more than one, set UPSTREAM_MONTHLY_BUDGET of each to its part in infra/config.ts',
    );
    for (const stage of stageNames) expect(warningsOf(stackOf(stage))).toEqual([warning]);
    expect(warningsOf(stackOf('local'))).toEqual([]);
    const key = { COINPAPRIKA_API_KEY: 'marketdata/provider-key' };
    expect(sharedKeyProblem('prod', { ...stageConfig('prod'), secretNames: key })).toBeUndefined();
    const split = { dev: '6000', prod: '14000' };
    const stages = Object.fromEntries(
      Object.entries(split).map(([stage, budget]) => {
        const environment = { UPSTREAM_MONTHLY_BUDGET: budget };
        return [stage, { ...stageConfig(stage), environment, secretNames: key }];
      }),
    );
    expect(sharedKeyProblem('dev', stages.dev as StageConfig, stages)).toBeUndefined();
    const more = { ...(stages.dev as StageConfig), environment: { UPSTREAM_MONTHLY_BUDGET: '6001' } };
    expect(sharedKeyProblem('dev', more, stages)).toMatch(
      /^Stages dev, prod ask the provider with the same key and together may spend 20001 /,
    );
  });

  test('a stage that is to last warns while its alarms reach nobody', () => {
    const alarmEmails: string[] = [];
    expect(warningsOf(stackOf('prod', { ...shared, alarmEmails }))).toEqual([
      expect.stringContaining(
        'Stage prod is to last, and its alarms reach nobody: set alarmEmails in infra/config.ts to addresses of those who run it',
      ),
    ]);
    expect(warningsOf(stackOf('dev', { ...shared, alarmEmails }))).toEqual([]);
    expect(warningsOf(stackOf('local', { alarmEmails }))).toEqual([]);
  });

  test('a stage that is to last warns while its mails link to nobody’s pages, and one with no address is refused', () => {
    const { runbookUrl } = stageConfig('prod');
    expect(warningsOf(stackOf('prod', { ...shared, runbookUrl }))).toEqual([
      expect.stringContaining(
        `The alarms of stage prod link to ${runbookUrl}: set runbookUrl in infra/config.ts to where your docs/oncall.md is`,
      ),
    ]);
    expect(warningsOf(stackOf('dev', { ...shared, runbookUrl }))).toEqual([]);
    expect(() => stackOf('dev', { ...shared, runbookUrl: 'docs/oncall.md' })).toThrow(
      'runbookUrl="docs/oncall.md" must be an https:// URL: mails link to it',
    );
  });

  test('a stage that lets callers in without a key warns', () => {
    expect(warningsOf(stackOf('dev', { ...shared, nodeEnv: 'development' }))).toEqual([
      expect.stringContaining('Stage dev runs with NODE_ENV=development: anybody may call it without a key'),
    ]);
  });

  test('a stage whose nodeEnv is a slip of the pen is not synthesized', () => {
    const nodeEnv = 'prodution' as 'production'; // what a configuration that nobody type-checked may hold

    expect(() => stackOf('dev', { nodeEnv })).toThrow(
      'NODE_ENV is "prodution", which is none of production, development, test: anybody may call without a key',
    );
  });

  test('an unknown stage is an error that names the known ones', () => {
    expect(() => stageConfig('qa')).toThrow(
      'Unknown stage "qa": use -c stage=<name> with one of hobby, dev, prod',
    );
    expect(() => stageConfig('constructor')).toThrow('Unknown stage');
  });
});
