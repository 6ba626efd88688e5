/** What remains of a stage after a failed first deployment, and after its deletion. */
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { stageNames } from '../../infra/config.ts';
import { pageTemplateOf, templateOf } from './synthesized.ts';

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

const resourcesIn = (template: Template): [id: string, resource: Resource][] =>
  Object.entries(template.toJSON().Resources);
/** The resources of the stack and of the nested one of its page. */
const resourcesOf = (stage: string) => [templateOf(stage), pageTemplateOf(stage)].flatMap(resourcesIn);

describe('a first deployment that fails', () => {
  test.each(stageNames)('leaves nothing of stage %s that would block the next', (stage) => {
    // `Retain` holds at a failed creation too; `RetainExceptOnCreate` does not (CloudFormation, DeletionPolicy).
    for (const [id, resource] of resourcesOf(stage)) {
      expect(resource.DeletionPolicy, id).not.toBe('Retain');
      expect(JSON.stringify(resource), id).not.toMatch(/Protection\w*":true/);
    }
  });

  test('finds buckets empty: nothing publishes before everything else exists', () => {
    const resources = resourcesIn(templateOf('prod'));
    const idsOf = (type: string) => resources.filter(([, { Type }]) => Type === type).map(([id]) => id);
    const schedules = resources.filter(([, { Type }]) => Type === 'AWS::Scheduler::Schedule');
    const before = [...idsOf('AWS::CloudFormation::Stack'), ...idsOf('AWS::CloudWatch::Dashboard')];

    expect(schedules).not.toEqual([]);
    expect(before).toHaveLength(2);
    for (const [, { DependsOn }] of schedules) expect(DependsOn).toEqual(expect.arrayContaining(before));
  });
});

describe('a stack that is deleted', () => {
  test.each([
    ['dev', []],
    [
      'prod',
      [
        'AWS::DynamoDB::GlobalTable Retain',
        'AWS::Logs::LogGroup Retain',
        'AWS::S3::Bucket Retain',
        'AWS::SecretsManager::Secret Retain',
      ],
    ],
  ])('of stage %s keeps only what cannot be made again: %j', (stage, expected) => {
    const kept = resourcesOf(stage)
      .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'RetainExceptOnCreate')
      .map(([, { Type, UpdateReplacePolicy }]) => `${Type} ${UpdateReplacePolicy}`)
      .filter((resource) => !resource.includes('Version'));
    expect([...new Set(kept)].sort()).toEqual(expected);
  });

  test.each(stageNames)('first empties those buckets of stage %s that it deletes', (stage) => {
    for (const template of [templateOf(stage), pageTemplateOf(stage)]) {
      const emptied = Object.values(template.findResources('Custom::S3AutoDeleteObjects'));
      const buckets = Object.entries(template.findResources('AWS::S3::Bucket'));
      expect(emptied.map(({ Properties }) => Properties.BucketName.Ref)).toEqual(
        buckets.filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Delete').map(([id]) => id),
      );
    }
  });
});
