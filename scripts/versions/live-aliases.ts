import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetAliasCommand, type LambdaClient } from '@aws-sdk/client-lambda';

/** The alias of a function through which all requests come to it. */
export const ALIAS = 'live';

export interface LiveAlias {
  readonly functionName: string;
  /** The version that it points to. */
  readonly version: string;
  /** Whether a part of the requests goes to another version, as while a new one is tried. */
  readonly split: boolean;
  /** The version that the last deployment of the stack made; undefined if the stack has none. */
  readonly deployed: string | undefined;
}

/**
 * The aliases `live` of a stack's functions, by the functions' names. Throws what CloudFormation and Lambda answer,
 * also for a stack that does not exist.
 */
export async function liveAliases(
  stack: string,
  cloudFormation: CloudFormationClient,
  lambda: LambdaClient,
): Promise<LiveAlias[]> {
  const names: string[] = [];
  const deployed = new Map<string, string>();
  for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: stack })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      // Resources that an update has taken out of the stack.
      if (resource.ResourceStatus?.startsWith('DELETE_')) continue;
      // arn:<partition>:lambda:<region>:<account>:function:<name>:<alias or version>
      const [name, qualifier] = resource.PhysicalResourceId?.split(':').slice(6) ?? [];
      if (!name || !qualifier) continue;
      if (resource.ResourceType === 'AWS::Lambda::Alias' && qualifier === ALIAS) names.push(name);
      if (resource.ResourceType === 'AWS::Lambda::Version') deployed.set(name, qualifier);
    }
  }
  const aliases: LiveAlias[] = [];
  for (const functionName of names.sort()) {
    const { FunctionVersion: version = '', RoutingConfig: routing } = await lambda.send(
      new GetAliasCommand({ FunctionName: functionName, Name: ALIAS }),
    );
    const split = Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0;
    aliases.push({ functionName, version, split, deployed: deployed.get(functionName) });
  }
  return aliases;
}
