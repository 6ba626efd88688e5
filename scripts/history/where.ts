import { join } from 'node:path';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ownerOf } from '../../local/store-owner.ts';
import { type Environment, parseEnvironment } from '../../shared/platform/environment.ts';

/** Where a history is; how it is reached is in the environment of this process, as a function has it. */
export interface Place {
  readonly bucket: string;
  /** Of the job that fills the history. */
  readonly settings: Environment;
}

/** The options by which a command is told where to look. */
export const placeOptions = {
  stage: { type: 'string' },
  endpoint: { type: 'string' },
  store: { type: 'string' },
  bucket: { type: 'string' },
} as const;

/** What they are given as. */
type Told = { readonly [Name in keyof typeof placeOptions]?: string | undefined };

/** A deployed stage, or a server that speaks as S3 does. */
export type Where =
  | { readonly stage: string }
  | { readonly endpoint: string; readonly bucket?: string | undefined };

const LOCAL = { region: 'us-east-1', key: 'local', bucket: 'local' } as const;

/** Throws an Error if the options do not say where to look for the thing. */
export function whereOf(thing: string, { stage, endpoint, store, bucket }: Told): Where {
  if (stage) {
    if (endpoint || store || bucket)
      throw new Error('--stage finds its bucket by itself: leave the others out');
    return { stage };
  }
  const served = endpoint ?? servedAt(store);
  if (!served)
    throw new Error(
      `Which ${thing}? None is served here: run npm start beside it, or give --stage dev, --stage prod or --endpoint`,
    );
  if (!URL.canParse(served)) throw new Error('--endpoint takes a URL, such as http://127.0.0.1:4566');
  return { endpoint: served, bucket };
}

/** The address of the store of a running `npm start`; undefined if there is none. */
function servedAt(folder = join(import.meta.dirname, '../../.local/store')): string | undefined {
  return ownerOf(folder)?.s3;
}

/** Throws what CloudFormation and Lambda answer, also for no such stack. */
export async function placeAt(where: Where): Promise<Place> {
  return 'stage' in where
    ? placeOfStage(where.stage, new CloudFormationClient(), new LambdaClient())
    : givenPlace(where);
}

/** What to do if nothing can be read there. */
export function nextStep(where: Where): string {
  return 'stage' in where
    ? `Is marketdata-${where.stage} deployed, and are credentials and AWS_REGION those of its account?`
    : `Is npm start running, with its store at ${where.endpoint}?`;
}

/** A server of this machine; its budget is that of this process's environment. */
function givenPlace({
  endpoint,
  bucket = LOCAL.bucket,
}: Extract<Where, { readonly endpoint: string }>): Place {
  process.env.AWS_ENDPOINT_URL_S3 = endpoint;
  process.env.AWS_REGION ||= LOCAL.region;
  process.env.AWS_ACCESS_KEY_ID ||= LOCAL.key;
  process.env.AWS_SECRET_ACCESS_KEY ||= LOCAL.key;
  return { bucket, settings: parseEnvironment(process.env) };
}

/** As the stack's own job of the past finds it. */
async function placeOfStage(
  stage: string,
  cloudFormation: CloudFormationClient,
  lambda: LambdaClient,
): Promise<Place> {
  const name = await pastJobOf(`marketdata-${stage}`, cloudFormation);
  const { Environment: given } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: name }),
  );
  const settings = parseEnvironment({ ...given?.Variables });
  if (!settings.HISTORY_BUCKET) throw new Error(`${name} has no HISTORY_BUCKET: deploy this version first`);
  await lendAccess(lambda);
  return { bucket: settings.HISTORY_BUCKET, settings };
}

async function pastJobOf(stack: string, client: CloudFormationClient): Promise<string> {
  for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      const { ResourceType: type, LogicalResourceId: id, PhysicalResourceId: name } = resource;
      // Resources that an update has taken out of the stack.
      if (resource.ResourceStatus?.startsWith('DELETE_')) continue;
      if (type === 'AWS::Lambda::Function' && id?.startsWith('MarketdataPast') && name) return name;
    }
  }
  throw new Error(`${stack} has no function that fills the history: deploy this version first`);
}

/** What reads S3 and DynamoDB is made for functions, which have all of it in their environment. */
export async function lendAccess({ config }: LambdaClient | CloudFormationClient): Promise<void> {
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  process.env.AWS_REGION = await config.region();
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  if (sessionToken === undefined) delete process.env.AWS_SESSION_TOKEN;
  else process.env.AWS_SESSION_TOKEN = sessionToken;
}
