/** The location of a service's data: a deployed stage, or a service on this machine. */
import { join } from 'node:path';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { ownerOf } from '../local/store-owner.ts';

export interface Place {
  readonly bucket: string;
  /** The table that instances share; undefined if a local service has none. */
  readonly table: string | undefined;
  /** The ARN of the edge store of keys; undefined without a distribution. */
  readonly edgeKeys: string | undefined;
}

/** The options of commands that read or change this data. */
export const placeOptions = {
  stage: { type: 'string' },
  store: { type: 'string' },
  endpoint: { type: 'string' },
  bucket: { type: 'string' },
} as const;
type Where = { readonly [Name in keyof typeof placeOptions]?: string | undefined };

export const placeUsage = `  --stage <name>      the data of a deployed stage, such as prod; needs AWS credentials and AWS_REGION
  --store <PATH>      the data of a running npm start with this --store (default: .local/store)`;

const localStore = join(import.meta.dirname, '../.local/store');

/**
 * Finds the data and puts access to it into this process's environment, where the functions' code reads it. `endpoint`
 * is the address of any S3-compatible server. Throws an Error if nothing is served there, and CloudFormation's errors.
 */
export async function placeOf(where: Where): Promise<Place> {
  return where.stage ? placeOfStage(where.stage) : localPlace(where);
}

function localPlace({ store = localStore, endpoint, bucket = 'local' }: Where): Place {
  const owner = endpoint === undefined ? ownerOf(store) : { s3: endpoint };
  if (!owner)
    throw new Error(`No service has its store in ${store}: run npm start, or give --stage or --store`);
  const { s3, dynamoDb, table }: { s3?: string; dynamoDb?: string; table?: string } = owner;
  if (s3) process.env.AWS_ENDPOINT_URL_S3 = s3;
  if (dynamoDb) process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamoDb;
  process.env.AWS_REGION ||= 'us-east-1';
  process.env.AWS_ACCESS_KEY_ID ||= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ||= 'local';
  return { bucket, table, edgeKeys: undefined };
}

/** The place in the outputs of the stage's stack. */
async function placeOfStage(stage: string): Promise<Place> {
  const client = new CloudFormation();
  const name = `marketdata-${stage}`;
  const { Stacks: [stack] = [] } = await client.describeStacks({ StackName: name });
  const output = (key: string) => stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  const bucket = output('DataBucketName');
  if (!bucket) throw new Error(`${name} has no output DataBucketName: deploy this version first`);
  const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials();
  process.env.AWS_REGION = await client.config.region();
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  if (sessionToken === undefined) delete process.env.AWS_SESSION_TOKEN;
  else process.env.AWS_SESSION_TOKEN = sessionToken;
  return { bucket, table: output('SharedTableName'), edgeKeys: output('EdgeKeysArn') };
}
