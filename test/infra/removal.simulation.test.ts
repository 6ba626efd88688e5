import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { stageNames } from '../../infra/config.ts';
import { pageTemplateOf, templateOf } from './synthesized.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, never>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

const resourcesOf = (template: Template): [id: string, resource: Resource][] =>
  Object.entries(template.toJSON().Resources);

const ofStage = (stage: string) => [templateOf(stage), pageTemplateOf(stage)].flatMap(resourcesOf);

describe('a first deployment that fails', () => {
  test.each([...stageNames, 'local'])(
    'leaves nothing of stage %s that would be in the way of the next',
    (stage) => {
      // `Retain` holds at a failed creation too; `RetainExceptOnCreate` does not (CloudFormation, DeletionPolicy).
      const left = ofStage(stage).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
      const locked = ofStage(stage).filter(([, resource]) =>
        JSON.stringify(resource).match(/Protection\w*":true/),
      );

      expect(left).toEqual([]);
      expect(locked).toEqual([]);
    },
  );

  test('finds buckets empty: nothing publishes before all else is there', () => {
    const resources = resourcesOf(templateOf('prod'));
    const idsOf = (type: string) => resources.filter(([, { Type }]) => Type === type).map(([id]) => id);
    const schedules = resources.filter(([, { Type }]) => Type === 'AWS::Scheduler::Schedule');

    expect(schedules).not.toEqual([]);
    for (const [, { DependsOn }] of schedules)
      expect(DependsOn).toEqual(
        expect.arrayContaining([
          ...idsOf('AWS::CloudFormation::Stack'),
          ...idsOf('AWS::CloudWatch::Dashboard'),
        ]),
      );
  });
});

describe('a stack that is deleted', () => {
  const kept = (stage: string) =>
    ofStage(stage)
      .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'RetainExceptOnCreate')
      .map(([, { Type, UpdateReplacePolicy }]) => `${Type} ${UpdateReplacePolicy}`);

  test('keeps, in prod, what cannot be made again: logs, secrets, the table and what was published', () => {
    expect([...new Set(kept('prod'))].filter((resource) => !resource.includes('Version')).sort()).toEqual([
      'AWS::DynamoDB::GlobalTable Retain',
      'AWS::Logs::LogGroup Retain',
      'AWS::S3::Bucket Retain',
      'AWS::SecretsManager::Secret Retain',
    ]);
  });

  test('keeps nothing of dev', () => {
    expect(kept('dev').filter((resource) => !resource.includes('Version'))).toEqual([]);
  });

  test.each([...stageNames, 'local'])('can delete the buckets of stage %s that it is to delete', (stage) => {
    for (const template of [templateOf(stage), pageTemplateOf(stage)]) {
      const emptied = Object.values(template.findResources('Custom::S3AutoDeleteObjects'));
      const buckets = Object.entries(template.findResources('AWS::S3::Bucket'));
      expect(emptied.map(({ Properties }) => Properties.BucketName.Ref)).toEqual(
        buckets.filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Delete').map(([id]) => id),
      );
    }
  });
});
