import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { type Published, servedKinds } from '../../shared/platform/job.ts';
import { allSecretNames, templateOf } from './synthesized.ts';

const template = templateOf('prod', { monthlyExport: true, canary: false });

const ownLog = {
  Effect: 'Allow',
  Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  Resource: { 'Fn::GetAtt': [expect.stringMatching(/Logs/), 'Arn'] },
};
const [tableId = ''] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
/** The right to the rows of these owners in the shared table. */
const sharing = (owners: readonly string[]) => {
  const [first, ...others] = owners.map((owner) => `${owner}#*`);
  return {
    Effect: 'Allow',
    Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
    Resource: { 'Fn::GetAtt': [tableId, 'Arn'] },
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [first, ...others] } },
  };
};
const readingKeys = {
  Effect: 'Allow',
  Action: 'dynamodb:GetItem',
  Resource: { 'Fn::GetAtt': [tableId, 'Arn'] },
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['keys#*'] } },
};
const bucket = { 'Fn::GetAtt': [expect.stringMatching(/^DataBucket/), 'Arn'] };
const objectsOf = (kinds: readonly Published[]) => {
  const [first, ...others] = kinds.toSorted().map((kind) => ({ 'Fn::Join': ['', [bucket, `/${kind}/*`]] }));
  return others.length > 0 ? [first, ...others] : first;
};
/** The right to read published kinds. */
const reading = (kinds: readonly Published[]) =>
  kinds.length > 0 ? [{ Effect: 'Allow', Action: 's3:GetObject', Resource: objectsOf(kinds) }] : [];
/** Without it a missing object looks like a wrong permission. */
const listing = (kinds: readonly Published[]) => ({
  Effect: 'Allow',
  Action: 's3:ListBucket',
  Resource: bucket,
  Condition: { StringLike: { 's3:prefix': kinds.map((kind) => `${kind}/*`) } },
});

/** X-Ray knows no resources. */
const tracing = {
  Effect: 'Allow',
  Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
  Resource: '*',
};

const deadLetters = { 'Fn::GetAtt': [expect.stringMatching(/^JobsDeadLetters/), 'Arn'] };

/** A secret's ARN ends with six characters that Secrets Manager makes up. */
const secretArn = (name: string) => ({
  'Fn::Join': ['', [expect.stringMatching(/^arn:/), { Ref: 'AWS::AccountId' }, `:secret:${name}-??????`]],
});

const secretsOf = (names: readonly string[]) => {
  const [first, ...others] = names.toSorted().map((name) => secretArn(allSecretNames[name] ?? ''));
  return others.length > 0 ? [first, ...others] : first;
};

const changingCoins = (action: string) => ({
  Effect: 'Allow',
  Action: action,
  Resource: { 'Fn::Join': ['', [bucket, '/history/coins.*']] },
});

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, Record<string, string[]>>;
}

/** The actions that each role may take, by the role's id. */
function grantedIn(deployed: Template): [roleId: string, statements: Statement[]][] {
  return Object.entries(deployed.findResources('AWS::IAM::Role')).map(([id, { Properties }]) => [
    id,
    (Properties.Policies ?? []).flatMap(
      ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
    ),
  ]);
}

/** The actions that roles may take whose ids begin so. */
const statementsOf = (roleId: string) =>
  grantedIn(template).flatMap(([id, statements]) => (id.startsWith(roleId) ? statements : []));

describe('permissions', () => {
  test.each(routes)(
    '$name may write to its own log, read the keys, use what it shares with others, read what is published for it and its own secrets, nothing else',
    (route) => {
      expect(statementsOf(`${constructId(route)}Role`)).toEqual([
        ownLog,
        tracing,
        ...(route.allSecrets.length > 0
          ? [
              {
                Effect: 'Allow',
                Action: 'secretsmanager:GetSecretValue',
                Resource: secretsOf(route.allSecrets),
              },
            ]
          : []),
        readingKeys,
        ...(route.rows ? [sharing(route.rows)] : []),
        ...reading(servedKinds.filter((kind) => route[kind])),
        ...(route.history ? [listing(['history'])] : []),
        ...(route.putsCoins ? [changingCoins('s3:PutObject')] : []),
      ]);
    },
  );

  test('no function reaches rows of the shared table, or lists names, without a condition on whose they are', () => {
    const statements = grantedIn(template).flatMap(([, granted]) => granted);
    const patternsOf = (action: string, operator: string, key: string) =>
      statements
        .filter(({ Action }) => [Action].flat().some((name) => name.startsWith(action)))
        .map(({ Condition }) => Condition?.[operator]?.[key] ?? ['*']);

    const rows = patternsOf('dynamodb:', 'ForAllValues:StringLike', 'dynamodb:LeadingKeys');
    const names = patternsOf('s3:ListBucket', 'StringLike', 's3:prefix');
    expect(rows.length).toBeGreaterThan(0);
    expect(names.length).toBeGreaterThan(0);
    for (const pattern of rows.flat()) expect(pattern).toMatch(/^[a-z]+#\*$/);
    for (const pattern of names.flat()) expect(pattern).toMatch(/^[a-z]+\/\*$/);
    expect(new Set(rows.flat()).size).toBeGreaterThan(1);
  });

  test('a function may read no secret that its stage does not name, and one by its ARN alone', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:mainnet-AbCdEf';
    const withOneSecret = templateOf('prod', { secretNames: { MAINNET_RPC_URL: arn } });
    const statements = grantedIn(withOneSecret).flatMap(([, granted]) => granted);

    const reading = statements.filter(({ Action }) => JSON.stringify(Action).includes('secretsmanager'));
    expect(reading.length).toBeGreaterThan(0);
    for (const { Resource } of reading) expect(Resource).toBe(arn);
  });

  test.each(jobs)(
    '$name may write to its own log, hand over what failed, publish, read and spend the budget if it does, nothing else',
    (job) => {
      expect(statementsOf(`${constructId(job)}FunctionRole`)).toEqual([
        ownLog,
        tracing,
        {
          Effect: 'Allow',
          Action: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
          Resource: deadLetters,
        },
        ...(job.publishes
          ? [
              {
                Effect: 'Allow',
                Action: ['s3:GetObject', 's3:PutObject'],
                Resource: objectsOf(job.publishes),
              },
            ]
          : []),
        ...(job.removesCoins ? [changingCoins('s3:DeleteObject')] : []),
        ...reading(job.reads ?? []),
        ...(job.publishes ? [listing([...job.publishes, ...(job.reads ?? [])])] : []),
        ...(job.rows ? [sharing(job.rows)] : []),
      ]);
    },
  );

  test('the snapshot’s job publishes the history’s samples too; only jobs that publish and routes that fetch may put anything', () => {
    const putters = grantedIn(template).filter(([, statements]) =>
      JSON.stringify(statements).includes('s3:PutObject'),
    );

    expect(statementsOf('MarketdataSnapshotFunctionRole')).toContainEqual({
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject'],
      Resource: objectsOf(['snapshot', 'history']),
    });
    expect(putters.map(([id]) => id.replace(/Role.*/, '')).sort()).toEqual(
      [
        ...routes.filter(({ putsCoins }) => putsCoins).map(constructId),
        ...jobs.filter(({ publishes }) => publishes).map((job) => `${constructId(job)}Function`),
      ].sort(),
    );
  });

  test('the scheduler may invoke the jobs and hand over what it could not, nothing else', () => {
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias'));
    const live = jobs
      .map((job) => aliases.find((id) => id.startsWith(`${constructId(job)}FunctionLive`)))
      .toSorted()
      .map((Ref) => ({ Ref }));

    expect(statementsOf('JobsSchedulerRole')).toEqual([
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: live,
      },
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: deadLetters },
    ]);
  });

  test('every function has its own role, with no policy but its own, that only Lambda may take', () => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role'))
      .filter(([id]) => !id.startsWith('Canary')) // CodeDeploy's, with the policy that AWS keeps for it
      .map(([, role]) => role);

    expect(roles).toHaveLength(routes.length + jobs.length + 1);
    for (const { Properties } of roles) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties.Policies).toHaveLength(1);
    }
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
    const takers = roles.map(({ Properties }) => Properties.AssumeRolePolicyDocument.Statement);
    const taker = (service: string) => [
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: `${service}.amazonaws.com` } },
    ];
    expect(takers.filter(([statement]) => !statement.Principal.Service.startsWith('scheduler'))).toEqual(
      [...routes, ...jobs].map(() => taker('lambda')),
    );
    expect(takers.filter(([statement]) => statement.Principal.Service.startsWith('scheduler'))).toEqual([
      taker('scheduler'),
    ]);
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

    const scopeOf = ({ method, path }: (typeof routes)[number]) => {
      if (path === '$default') return '/*/$default';
      return `/*/${method === 'GET' ? '*' : method}${path.replace('{path+}', '*')}`; // GET and HEAD
    };
    expect(scopes.sort()).toEqual(routes.map(scopeOf).sort());
  });
});
