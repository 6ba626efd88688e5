import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { templateOf } from './synthesized.ts';

describe('the shared table', () => {
  test('is one, on demand, with rows that expire and can be restored to any moment', () => {
    const template = templateOf('prod');

    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [
        Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }),
      ],
    });
  });

  test('outlives the stack if the stage keeps its data, and only then', () => {
    const [kept] = Object.values(templateOf('prod').findResources('AWS::DynamoDB::GlobalTable'));
    const [dropped] = Object.values(templateOf('dev').findResources('AWS::DynamoDB::GlobalTable'));

    expect(kept?.DeletionPolicy).toBe('RetainExceptOnCreate');
    expect(dropped?.DeletionPolicy).toBe('Delete');
  });
});
