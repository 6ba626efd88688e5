/** Stored data, the functions that reach it, and the jobs that publish it. */
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import { publishedKinds, servedKinds } from '../../shared/platform/job.ts';
import { configured, templateOf } from './synthesized.ts';

const whole = templateOf('prod', { monthlyExport: true, canary: false });
const jobId = (job: (typeof jobs)[number]) => `${constructId(job)}Function`;

/** The construct ids of the functions for which this holds, by the template alone. */
function functionsWith(template: Template, holds: (properties: Record<string, never>) => boolean): string[] {
  return Object.entries(template.findResources('AWS::Lambda::Function'))
    .filter(([, { Properties }]) => holds(Properties))
    .map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))
    .sort();
}

describe('the bucket of published data', () => {
  const [bucket] = Object.keys(whole.findResources('AWS::S3::Bucket'));

  test.each(publishedKinds)(
    'is named to the functions that publish or read its %s, and to no others',
    (kind) => {
      const of = (properties: Record<string, never>) =>
        (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables[
          `${kind.toUpperCase()}_BUCKET`
        ];
      const served = servedKinds.find((known) => known === kind);

      expect(functionsWith(whole, (properties) => of(properties) !== undefined)).toEqual(
        [
          ...routes.filter((route) => served && route[served]).map(constructId),
          ...jobs.filter((job) => [job.publishes, job.reads].flat().includes(kind)).map(jobId),
        ].sort(),
      );
      functionsWith(whole, (properties) => {
        expect([undefined, bucket]).toContain((of(properties) as { Ref: string } | undefined)?.Ref);
        return true;
      });
    },
  );

  interface Rule {
    readonly Prefix: string;
    readonly Status: string;
    readonly ExpirationInDays?: number;
    readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays: number };
  }
  function rulesOf(stage: string, changes: Partial<StageConfig> = {}): readonly Rule[] {
    const [{ Properties } = { Properties: {} }] = Object.values(
      templateOf(stage, changes).findResources('AWS::S3::Bucket'),
    );
    expect(Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' });
    return Properties.LifecycleConfiguration.Rules;
  }

  test.each(stageNames)(
    'of stage %s keeps replaced versions of the history as long as configured, others for a day',
    (stage) => {
      const rules = rulesOf(stage);
      const versions = rules.filter((rule) => rule.NoncurrentVersionExpiration);

      expect(
        Object.fromEntries(
          versions.map(({ Prefix, NoncurrentVersionExpiration: expiration }) => [
            Prefix,
            expiration?.NoncurrentDays,
          ]),
        ),
      ).toEqual({
        'registry/': 1,
        'snapshot/': 1,
        'history/': stageConfig(stage).versionDays,
        'sources/': 1,
        'exports/': 1,
      });
      for (const rule of versions)
        expect(rule).toMatchObject({ Status: 'Enabled', ExpiredObjectDeleteMarker: true });
      // What expires would stay as a version for ever if no rule of versions applied to it.
      for (const { Prefix } of rules)
        expect(versions.some((rule) => Prefix.startsWith(rule.Prefix))).toBe(true);
    },
  );

  test('keeps daily candles for ever, hourly ones for two years with their month, and samples for 35 days', () => {
    const rules = rulesOf('prod');
    const day = Date.UTC(2026, 0, 31);
    const daysOf = (path: string) =>
      rules
        .filter(({ Prefix, ExpirationInDays }) => ExpirationInDays && path.startsWith(Prefix))
        .map(({ ExpirationInDays }) => ExpirationInDays);
    const ofHistory = (name: string) => daysOf(HISTORY_PREFIX + name);

    for (const name of [objectNames.samples(day, 600_000), objectNames.hours(day), objectNames.exact(day)])
      expect(ofHistory(name)).toEqual([35]);
    expect(ofHistory(objectNames.series('1h', 'btc-bitcoin', day))).toEqual([730 + 31]);
    for (const name of [
      objectNames.series('24h', 'btc-bitcoin', day),
      objectNames.coin('hours/samples'),
      objectNames.rolledUp,
      objectNames.past,
    ])
      expect(ofHistory(name)).toEqual([]);
    expect(daysOf('registry/coins-1')).toEqual([30]);
    expect(daysOf('registry/coingecko-ids-1')).toEqual([30]);
    expect(daysOf('registry/manifest.v3.json')).toEqual([]);
  });

  test('is copied to another account if configured, and the copy keeps objects that are deleted here', () => {
    const configurationOf = (template: Template) =>
      Object.values(template.findResources('AWS::S3::Bucket'))[0]?.Properties.ReplicationConfiguration;

    expect(configurationOf(templateOf('prod', configured)).Rules).toEqual([
      {
        Id: 'copy',
        Status: 'Enabled',
        Filter: { Prefix: 'history/' },
        DeleteMarkerReplication: { Status: 'Disabled' },
        Destination: {
          Bucket: 'arn:aws:s3:::copies-of-marketdata',
          Account: '111122223333',
          AccessControlTranslation: { Owner: 'Destination' },
        },
      },
    ]);
    expect(configurationOf(whole)).toBeUndefined();
    expect(() => templateOf('prod', { ...configured, dataBucket: 'left-by-another-stack' })).toThrow(
      'copyTo of infra/config.ts is for a bucket that the stack makes',
    );
  });
});

describe('an existing bucket that a stage takes over', () => {
  const name = 'marketdata-prod-databucket-1a2b3c';
  const template = templateOf('dev', { dataBucket: name });

  test('replaces the stage’s own in every function and role, refuses plain HTTP, and outlives the stack', () => {
    const variables = /"(?:REGISTRY|SNAPSHOT|HISTORY|SOURCES)_BUCKET":(\{[^}]*\}|"[^"]*")/g;
    const valuesIn = (of: Template) =>
      [...JSON.stringify(of.findResources('AWS::Lambda::Function')).matchAll(variables)].map(
        ([, value]) => value,
      );
    const policies = JSON.stringify(template.findResources('AWS::IAM::Role'));

    template.resourceCountIs('AWS::S3::Bucket', 0);
    template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
    expect(valuesIn(template)).toHaveLength(valuesIn(templateOf('dev')).length);
    expect(new Set(valuesIn(template))).toEqual(new Set([`"${name}"`]));
    expect(policies).toContain(`:s3:::${name}/history/*`);
    expect(policies).not.toContain('"DataBucket');
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      Bucket: name,
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ],
      },
    });
  });

  test.each([
    ['s3://left-by-another', /only contain lowercase characters/],
    ['', /at least 3 and no more than 63 characters/],
    ['192.168.0.1', /must not resemble an IP address/],
  ])('is refused with the name of the setting if S3 allows no such name: %j', (dataBucket, reason) => {
    const synthesize = () => templateOf('dev', { dataBucket });
    expect(synthesize).toThrow(/^dataBucket of infra\/config\.ts must be the name of an existing bucket/);
    expect(synthesize).toThrow(reason);
  });
});

test('the coin registry is one layer of the functions that carry it', () => {
  const [layer, ...others] = Object.keys(whole.findResources('AWS::Lambda::LayerVersion'));
  expect(others).toEqual([]);
  const layersOf = (properties: Record<string, unknown>) =>
    properties.Layers as { Ref: string }[] | undefined;
  expect(functionsWith(whole, (properties) => layersOf(properties)?.[0]?.Ref === layer)).toEqual(
    [
      ...routes.filter(({ registry }) => registry).map(constructId),
      ...jobs.filter(({ registry }) => registry).map(jobId),
    ].sort(),
  );
});

test('the shared table is one, on demand, with rows that expire and can be restored to any moment', () => {
  whole.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
  whole.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    Replicas: [Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } })],
  });
});

describe('the scheduled jobs', () => {
  const deadLetters = { 'Fn::GetAtt': [expect.stringMatching(/^JobsDeadLetters/), 'Arn'] };
  /** When a job runs, how often it is tried again, and after how many seconds its event is worth nothing. */
  function schedulesOf(template: Template): Record<string, [string, number, number]> {
    const aliases = template.findResources('AWS::Lambda::Alias');
    const invokes = Object.values(template.findResources('AWS::Lambda::EventInvokeConfig'));
    const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule'));
    return Object.fromEntries(
      schedules.map(({ Properties: { Description, ScheduleExpression, Target } }) => {
        const job = jobs.find(({ summary }) => summary === Description);
        if (!job) throw new Error(`No job is described by: ${Description}`);
        const alias = aliases[Target.Arn.Ref];
        const own = { Ref: expect.stringMatching(new RegExp(`^${jobId(job)}`)) };
        const [invoke, ...others] = invokes.filter(({ Properties }) =>
          Properties.FunctionName.Ref.startsWith(jobId(job)),
        );
        // A rollback moves the alias; an update policy would make CodeDeploy move it.
        expect(alias?.Properties).toMatchObject({ Name: 'live', FunctionName: own });
        expect(alias).not.toHaveProperty('UpdatePolicy');
        expect(Target.DeadLetterConfig).toEqual({ Arn: deadLetters });
        expect(others).toEqual([]);
        expect(invoke?.Properties).toMatchObject({
          ...Target.RetryPolicy,
          Qualifier: expect.not.stringMatching(/LATEST/),
          DestinationConfig: { OnFailure: { Destination: deadLetters } },
        });
        const { MaximumRetryAttempts: retries, MaximumEventAgeInSeconds: age } = Target.RetryPolicy;
        return [job.name.replace('marketdata/', ''), [ScheduleExpression, retries, age]];
      }),
    );
  }

  test('run as the table says, through an alias, and leave failed events in a dead-letter queue', () => {
    expect(schedulesOf(whole)).toEqual({
      candles: ['cron(0/10 * * * ? *)', 0, 600],
      contracts: ['rate(7 days)', 2, 21_600],
      'daily-rates': ['rate(2 hours)', 2, 7_200],
      export: ['rate(30 days)', 2, 21_600],
      markets: ['cron(1/30 * * * ? *)', 0, 1_800],
      // Between two runs of the candles: both ask at an exchange's pace.
      past: ['cron(15/30 * * * ? *)', 0, 1_800],
      probe: ['cron(4/5 * * * ? *)', 0, 300],
      quotes: ['cron(0/1 * * * ? *)', 0, 60],
      registry: ['rate(1 day)', 2, 21_600],
      'roll-up': ['cron(6/30 * * * ? *)', 1, 1_800],
      snapshot: ['cron(2/10 * * * ? *)', 1, 600],
      tokens: ['cron(8/10 * * * ? *)', 0, 600],
    });
  });

  test('have the intervals of the stage, and the export only where it is turned on', () => {
    const hourly = schedulesOf(templateOf('prod', configured));

    expect(hourly.snapshot).toEqual(['cron(2 * * * ? *)', 1, 3600]);
    expect(hourly).not.toHaveProperty('export');
    expect(() => templateOf('prod', { environment: { SNAPSHOT_MINUTES: '0' } })).toThrow(
      'SNAPSHOT_MINUTES="0" must be one of 1, 2, 3',
    );
    for (const stage of stageNames) expect(JSON.stringify(templateOf(stage))).not.toContain('EXPORTS_BUCKET');
  });
});
