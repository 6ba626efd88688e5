import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { templateOf } from './synthesized.ts';

const template = templateOf('prod');

describe('permissions', () => {
  test('a function may write to its own log, and nothing else', () => {
    const policies = Object.values(template.findResources('AWS::IAM::Policy'));

    expect(policies).toHaveLength(routes.length);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [expect.stringMatching(/Logs/), 'Arn'] },
        },
      ]);
    }
  });

  test('every function has its own role, without managed or inline policies, that only Lambda may take', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));

    expect(roles).toHaveLength(routes.length);
    for (const { Properties } of roles) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
      expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
        { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  test('only this API may invoke a function, only for its route, in any stage of the API', () => {
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
    const [apiId] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    const scopes = permissions.map(({ Properties }) => {
      const parts: unknown[] = Properties.SourceArn['Fn::Join'][1];
      expect(Properties).toMatchObject({
        Action: 'lambda:InvokeFunction',
        Principal: 'apigateway.amazonaws.com',
      });
      expect(parts.at(-2)).toEqual({ Ref: apiId });
      return parts.at(-1);
    });

    expect(scopes.sort()).toEqual(
      routes.map(({ method, path }) => (path === '$default' ? '/*/$default' : `/*/${method}${path}`)).sort(),
    );
  });
});
