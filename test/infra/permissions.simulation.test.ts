/** The permissions of each role, compared with the needs that routes and jobs declare. */
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { type Published, servedKinds } from '../../shared/platform/job.ts';
import { allSecretNames, templateOf } from './synthesized.ts';

const template = templateOf('prod', { monthlyExport: true, canary: false });
const [tableId = ''] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
const bucket = { 'Fn::GetAtt': [expect.stringMatching(/^DataBucket/), 'Arn'] };
const deadLetters = { 'Fn::GetAtt': [expect.stringMatching(/^JobsDeadLetters/), 'Arn'] };

const allowed = (Action: string | string[], Resource: unknown, Condition?: object) => [
  { Effect: 'Allow', Action, Resource, ...(Condition && { Condition }) },
];
/** One resource stands by itself, several in a list. */
const oneOrMore = (resources: readonly unknown[]) => (resources.length > 1 ? resources : resources[0]);

const ownLogAndTraces = [
  ...allowed(['logs:CreateLogStream', 'logs:PutLogEvents'], {
    'Fn::GetAtt': [expect.stringMatching(/Logs/), 'Arn'],
  }),
  ...allowed(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], '*'), // X-Ray knows no resources
];
/** The right to the rows of these owners in the shared table. */
const rows = (actions: string | string[], owners: readonly string[] = []) =>
  owners.length > 0
    ? allowed(
        actions,
        { 'Fn::GetAtt': [tableId, 'Arn'] },
        {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': owners.map((owner) => `${owner}#*`) },
        },
      )
    : [];
const sharing = (owners: readonly string[] | undefined) =>
  rows(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'], owners);
const objectsOf = (kinds: readonly Published[]) =>
  oneOrMore(kinds.toSorted().map((kind) => ({ 'Fn::Join': ['', [bucket, `/${kind}/*`]] })));
/** The right to published kinds. */
const objects = (actions: string | string[], kinds: readonly Published[] = []) =>
  kinds.length > 0 ? allowed(actions, objectsOf(kinds)) : [];
/** Without it a missing object looks like a wrong permission. */
const listing = (kinds: readonly Published[]) =>
  kinds.length > 0
    ? allowed('s3:ListBucket', bucket, { StringLike: { 's3:prefix': kinds.map((kind) => `${kind}/*`) } })
    : [];
const puttingCoins = allowed(
  's3:PutObject',
  ['coins', 'fetched'].map((kind) => ({ 'Fn::Join': ['', [bucket, `/history/${kind}.*`]] })),
);
/** A secret's ARN ends with six characters that Secrets Manager makes up. */
const secretArn = (name: string) => ({
  'Fn::Join': ['', [expect.stringMatching(/^arn:/), { Ref: 'AWS::AccountId' }, `:secret:${name}-??????`]],
});
const secrets = (names: readonly string[]) =>
  names.length > 0
    ? allowed(
        'secretsmanager:GetSecretValue',
        oneOrMore(names.toSorted().map((name) => secretArn(allSecretNames[name] ?? ''))),
      )
    : [];

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, Record<string, string[]>>;
}

/** What each role may do, by the role's id. */
function grantedIn(deployed: Template): [roleId: string, statements: Statement[]][] {
  return Object.entries(deployed.findResources('AWS::IAM::Role')).map(([id, { Properties }]) => [
    id,
    (Properties.Policies ?? []).flatMap(
      ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
    ),
  ]);
}
const statementsOf = (roleId: string) =>
  grantedIn(template).flatMap(([id, statements]) => (id.startsWith(roleId) ? statements : []));

describe('permissions', () => {
  test.each(routes)(
    '$name may write its log and read keys, its rows, its kinds of objects and its secrets, nothing else',
    (route) => {
      const reads = servedKinds.filter((kind) => route[kind]);
      expect(statementsOf(`${constructId(route)}Role`)).toEqual([
        ...ownLogAndTraces,
        ...secrets(route.allSecrets),
        ...rows('dynamodb:GetItem', ['keys']),
        ...sharing(route.rows),
        ...objects('s3:GetObject', reads),
        ...listing(reads),
        ...(route.putsCoins ? puttingCoins : []),
      ]);
    },
  );

  test.each(jobs)(
    '$name may write its log, send failed events, and use its rows and kinds of objects, nothing else',
    ({ publishes = [], reads = [], ...job }) => {
      expect(statementsOf(`${constructId(job)}FunctionRole`)).toEqual([
        ...ownLogAndTraces,
        ...allowed(['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'], deadLetters),
        ...objects(['s3:GetObject', 's3:PutObject'], publishes),
        ...objects('s3:GetObject', reads),
        ...listing([...publishes, ...reads]),
        ...sharing(job.rows),
      ]);
    },
  );

  test('a function may read only secrets that its stage names, by ARN if the stage has one', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:mainnet-AbCdEf';
    const withOneSecret = templateOf('prod', { secretNames: { MAINNET_RPC_URL: arn } });
    const reading = grantedIn(withOneSecret)
      .flatMap(([, granted]) => granted)
      .filter(({ Action }) => JSON.stringify(Action).includes('secretsmanager'));

    expect(reading.length).toBeGreaterThan(0);
    for (const { Resource } of reading) expect(Resource).toBe(arn);
  });

  test('the scheduler may invoke the jobs and send failed events, nothing else', () => {
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias'));
    const live = jobs
      .map((job) => aliases.find((id) => id.startsWith(`${constructId(job)}FunctionLive`)))
      .toSorted()
      .map((Ref) => ({ Ref }));

    expect(statementsOf('JobsSchedulerRole')).toEqual([
      ...allowed('lambda:InvokeFunction', live),
      ...allowed('sqs:SendMessage', deadLetters),
    ]);
  });

  test('every function has a role of its own, with one inline policy, that only Lambda may assume', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));
    const takers = roles.map(({ Properties }) => {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties.Policies).toHaveLength(1);
      const [statement, ...others] = Properties.AssumeRolePolicyDocument.Statement;
      expect(others).toEqual([]);
      expect(statement).toMatchObject({ Effect: 'Allow', Action: 'sts:AssumeRole' });
      return statement.Principal.Service;
    });

    expect(takers.sort()).toEqual([
      ...[...routes, ...jobs].map(() => 'lambda.amazonaws.com'),
      'scheduler.amazonaws.com',
    ]);
    template.resourceCountIs('AWS::IAM::Policy', 0);
    template.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
  });

  test('only this API may invoke a function, and only for its route', () => {
    const [apiId] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
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
