import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { type Environment, parseEnvironment } from '../../shared/platform/environment.ts';

/** Where a history is; how it is reached is in the environment of this process, as a function has it. */
export interface Place {
  readonly bucket: string;
  /** Undefined: the wishes cannot be told. */
  readonly table: string | undefined;
  /** Of the job that fills the history. */
  readonly settings: Environment;
}

const LOCAL = { region: 'us-east-1', key: 'local', bucket: 'local' } as const;

/** A server of this machine; its budget is that of this process's environment. */
export function givenPlace(
  endpoint: string,
  {
    bucket = LOCAL.bucket,
    table,
  }: { readonly bucket?: string | undefined; readonly table?: string | undefined },
): Place {
  process.env.AWS_ENDPOINT_URL_S3 = endpoint;
  process.env.AWS_REGION ||= LOCAL.region;
  process.env.AWS_ACCESS_KEY_ID ||= LOCAL.key;
  process.env.AWS_SECRET_ACCESS_KEY ||= LOCAL.key;
  return { bucket, table, settings: parseEnvironment(process.env) };
}

/** As the stack's own backfill finds it. Throws what CloudFormation and Lambda answer, also for no such stack. */
export async function placeOfStage(
  stage: string,
  cloudFormation: CloudFormationClient,
  lambda: LambdaClient,
): Promise<Place> {
  const name = await backfillOf(`marketdata-${stage}`, cloudFormation);
  const { Environment: given } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: name }),
  );
  const settings = parseEnvironment({ ...given?.Variables });
  if (!settings.HISTORY_BUCKET) throw new Error(`${name} has no HISTORY_BUCKET: deploy this version first`);
  await lendAccess(lambda);
  return { bucket: settings.HISTORY_BUCKET, table: settings.SHARED_TABLE, settings };
}

async function backfillOf(stack: string, client: CloudFormationClient): Promise<string> {
  for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      const { ResourceType: type, LogicalResourceId: id, PhysicalResourceId: name } = resource;
      // Resources that an update has taken out of the stack.
      if (resource.ResourceStatus?.startsWith('DELETE_')) continue;
      if (type === 'AWS::Lambda::Function' && id?.startsWith('MarketdataBackfill') && name) return name;
    }
  }
  throw new Error(`${stack} has no function that fills the history: deploy this version first`);
}

/** What reads S3 and DynamoDB is made for functions, which have all of it in their environment. */
async function lendAccess({ config }: LambdaClient): Promise<void> {
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  process.env.AWS_REGION = await config.region();
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  if (sessionToken === undefined) delete process.env.AWS_SESSION_TOKEN;
  else process.env.AWS_SESSION_TOKEN = sessionToken;
}
