import { describe, expect, test } from 'vitest';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { templateOf } from './synthesized.ts';

interface Rule {
  readonly Prefix: string;
  readonly Status: string;
  readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays: number };
  readonly ExpiredObjectDeleteMarker?: boolean;
}

describe('the bucket of published data', () => {
  test.each([...stageNames, 'local'])(
    'of stage %s keeps what is overwritten or deleted of the history for as long as it says, of all else for a day',
    (stage) => {
      const [bucket] = Object.values(templateOf(stage).findResources('AWS::S3::Bucket'));
      const rules: Rule[] = bucket?.Properties.LifecycleConfiguration.Rules;
      const versions = rules.filter((rule) => rule.NoncurrentVersionExpiration);

      expect(bucket?.Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' });
      expect(
        Object.fromEntries(
          versions.map((rule) => [rule.Prefix, rule.NoncurrentVersionExpiration?.NoncurrentDays]),
        ),
      ).toEqual({
        'registry/': 1,
        'snapshot/': 1,
        'history/': stageConfig(stage).history.versionDays,
        'sources/': 1,
        'exports/': 1,
      });
      for (const rule of versions)
        expect(rule).toMatchObject({ Status: 'Enabled', ExpiredObjectDeleteMarker: true });
      // What expires would stay as a version for ever, if no rule of versions were about it.
      for (const { Prefix } of rules)
        expect(versions.some((rule) => Prefix.startsWith(rule.Prefix))).toBe(true);
    },
  );
});

describe('an existing bucket that a stage takes over', () => {
  const name = 'marketdata-prod-databucket-1a2b3c';
  const template = templateOf('prod', { dataBucket: name });

  test('is not made, and every function that knew the stage’s own knows it', () => {
    const own = JSON.stringify(templateOf('prod').findResources('AWS::Lambda::Function'));
    const buckets = /"(?:REGISTRY|SNAPSHOT|HISTORY|SOURCES)_BUCKET":(\{[^}]*\}|"[^"]*")/g;
    const given = [...JSON.stringify(template.findResources('AWS::Lambda::Function')).matchAll(buckets)].map(
      ([, value]) => value,
    );

    template.resourceCountIs('AWS::S3::Bucket', 0);
    expect(given).toHaveLength([...own.matchAll(buckets)].length);
    expect(new Set(given)).toEqual(new Set([`"${name}"`]));
  });

  test('may be used by its functions, and by nobody without encryption', () => {
    const policies = JSON.stringify(template.findResources('AWS::IAM::Role'));
    const [policy] = Object.values(template.findResources('AWS::S3::BucketPolicy'));

    expect(policies).toContain(`:s3:::${name}/history/*`);
    expect(policies).not.toContain('"DataBucket');
    expect(policy?.Properties).toMatchObject({
      Bucket: name,
      PolicyDocument: {
        Statement: [{ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      },
    });
  });

  test('is not deleted with the stack, in any stage', () => {
    templateOf('dev', { dataBucket: name }).resourceCountIs('Custom::S3AutoDeleteObjects', 0);
  });

  test.each([
    ['Data-Bucket', /only contain lowercase characters/],
    ['s3://left-by-another', /only contain lowercase characters/],
    ['arn:aws:s3:::left', /only contain lowercase characters/],
    ['ab', /at least 3 and no more than 63 characters/],
    ['', /at least 3 and no more than 63 characters/],
    ['192.168.0.1', /must not resemble an IP address/],
  ])('has a name that S3 allows: %j is refused by the name of the setting', (dataBucket, reason) => {
    expect(() => templateOf('dev', { dataBucket })).toThrow(
      /^dataBucket of infra\/config\.ts must be the name of an existing bucket/,
    );
    expect(() => templateOf('dev', { dataBucket })).toThrow(reason);
  });
});

describe('a copy of the history in another account', () => {
  const copyTo = { bucketName: 'copies-of-marketdata', account: '111122223333', region: 'eu-west-1' };
  const [bucket] = Object.values(templateOf('prod', { copyTo }).findResources('AWS::S3::Bucket'));

  test('has every object of it that is written, and keeps those that are deleted here', () => {
    expect(bucket?.Properties.ReplicationConfiguration.Rules).toEqual([
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
  });

  test('is not there unless it is configured, and not of a bucket that is taken over', () => {
    const [own] = Object.values(templateOf('prod').findResources('AWS::S3::Bucket'));
    expect(own?.Properties).not.toHaveProperty('ReplicationConfiguration');
    expect(() => templateOf('prod', { copyTo, dataBucket: 'left-by-another-stack' })).toThrow(
      'copyTo of infra/config.ts is for a bucket that the stack makes',
    );
  });
});
