import {
  CloudFormationClient,
  ListStackResourcesCommand,
  type ListStackResourcesCommandInput,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteFunctionCommand,
  type DeleteFunctionCommandInput,
  GetAliasCommand,
  type GetAliasCommandInput,
  LambdaClient,
  ListAliasesCommand,
  type ListAliasesCommandInput,
  ListVersionsByFunctionCommand,
  type ListVersionsByFunctionCommandInput,
  UpdateAliasCommand,
  type UpdateAliasCommandInput,
} from '@aws-sdk/client-lambda';
import { type AwsClientStub, mockClient } from 'aws-sdk-client-mock';
import { onTestFinished } from 'vitest';

/** A function of the stack, with what `scripts/versions.ts` may read of it and change. */
export interface AccountFunction {
  /** What `live` points to. */
  live: string;
  /** Versions that get a share of the requests of `live`. */
  weights?: Record<string, number> | undefined;
  /** Other aliases, with their versions. */
  readonly others?: Readonly<Record<string, string>>;
  /** Version → when it was published, as Lambda writes it. */
  readonly versions: Record<string, string>;
  /** The version that the stack's template made; the newest one by default. */
  readonly deployed?: string;
  /** Whether the credentials may not change it. */
  readonly denied?: boolean;
}

export interface Account {
  readonly functions: Record<string, AccountFunction>;
  /** What was changed, in order: `ticker to 5`, `ticker without 1`. */
  readonly changes: string[];
  /** A test makes a call fail by an answer of its own, which takes precedence. */
  readonly cloudFormation: AwsClientStub<CloudFormationClient>;
  readonly lambda: AwsClientStub<LambdaClient>;
}

const STACK = 'marketdata-test';
/** Small pages, so that reading only the first one fails the tests. */
const PAGE = 2;

/** An error as the SDK throws it for an AWS service's error code. */
export function awsError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/**
 * An AWS account with the one stack `marketdata-test`, in place of the SDK's clients until the test ends: no local server
 * has versions, aliases and stacks, and only a mock can throttle one page of a listing or expire credentials.
 */
export function mockAccount(functions: Record<string, AccountFunction>): Account {
  const changes: string[] = [];
  const cloudFormation = mockClient(CloudFormationClient);
  const lambda = mockClient(LambdaClient);
  onTestFinished(() => {
    cloudFormation.restore();
    lambda.restore();
  });

  const functionOf = (name = '', isChange = false): AccountFunction => {
    const found = functions[name];
    if (!found) throw awsError('ResourceNotFoundException', `Function not found: ${name}`);
    if (isChange && found.denied) throw awsError('AccessDeniedException', `may not touch ${name}`);
    return found;
  };

  cloudFormation.on(ListStackResourcesCommand).callsFake((input: ListStackResourcesCommandInput) => {
    if (input.StackName !== STACK)
      throw awsError('ValidationError', `Stack with id ${input.StackName} does not exist`);
    const { page, next } = pageOf(resourcesOf(functions), input.NextToken);
    return { StackResourceSummaries: page, NextToken: next };
  });
  lambda.on(GetAliasCommand).callsFake(({ FunctionName }: GetAliasCommandInput) => {
    const { live, weights } = functionOf(FunctionName);
    return { FunctionVersion: live, RoutingConfig: { AdditionalVersionWeights: weights } };
  });
  lambda.on(ListAliasesCommand).callsFake(({ FunctionName, Marker }: ListAliasesCommandInput) => {
    const { live, weights, others = {} } = functionOf(FunctionName);
    const all = [
      ...Object.values(others).map((version) => ({ FunctionVersion: version })),
      { FunctionVersion: live, RoutingConfig: { AdditionalVersionWeights: weights } },
    ];
    const { page, next } = pageOf(all, Marker);
    return { Aliases: page, NextMarker: next };
  });
  lambda.on(ListVersionsByFunctionCommand).callsFake((input: ListVersionsByFunctionCommandInput) => {
    const all = [
      ['$LATEST', '2026-11-22T09:00:00.000+0000'],
      ...Object.entries(functionOf(input.FunctionName).versions),
    ];
    const { page, next } = pageOf(all, input.Marker);
    return { Versions: page.map(([Version, LastModified]) => ({ Version, LastModified })), NextMarker: next };
  });
  lambda.on(UpdateAliasCommand).callsFake((input: UpdateAliasCommandInput) => {
    const found = functionOf(input.FunctionName, true);
    const { FunctionVersion: version = '' } = input;
    if (!(version in found.versions)) throw awsError('ResourceNotFoundException', 'Function not found');
    found.live = version;
    found.weights = input.RoutingConfig?.AdditionalVersionWeights;
    changes.push(`${input.FunctionName} to ${version}`);
    return {};
  });
  lambda.on(DeleteFunctionCommand).callsFake(({ FunctionName, Qualifier }: DeleteFunctionCommandInput) => {
    if (Qualifier === undefined) throw new Error(`the whole function ${FunctionName} would be gone`);
    delete functionOf(FunctionName, true).versions[Qualifier];
    changes.push(`${FunctionName} without ${Qualifier}`);
    return {};
  });
  return { functions, changes, cloudFormation, lambda };
}

function resourcesOf(functions: Readonly<Record<string, AccountFunction>>) {
  const arn = (name: string, qualifier: string) =>
    `arn:aws:lambda:eu-central-1:123456789012:function:${name}:${qualifier}`;
  return Object.entries(functions).flatMap(([name, { versions, deployed }]) =>
    [
      ['AWS::Lambda::Function', name, 'UPDATE_COMPLETE'],
      ['AWS::Lambda::Version', arn(name, deployed ?? newest(versions)), 'UPDATE_COMPLETE'],
      ['AWS::Lambda::Version', arn(name, '1'), 'DELETE_SKIPPED'],
      ['AWS::Lambda::Alias', arn(name, 'live'), 'UPDATE_COMPLETE'],
    ].map(([ResourceType, PhysicalResourceId, ResourceStatus]) => ({
      ResourceType,
      PhysicalResourceId,
      ResourceStatus,
    })),
  );
}

const newest = (versions: AccountFunction['versions']) =>
  String(Math.max(...Object.keys(versions).map(Number)));

function pageOf<Item>(items: readonly Item[], token: string | undefined) {
  const start = Number(token ?? 0);
  const next = start + PAGE < items.length ? String(start + PAGE) : undefined;
  return { page: items.slice(start, start + PAGE), next };
}
