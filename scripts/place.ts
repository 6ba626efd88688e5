/** The location of a service's data: a deployed stage, a server's folder, or an S3-compatible server. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { isInUse, isServerFolder, openFolder, useFolder } from '../shared/folder/open-folder.ts';
import { accessOfLambda } from '../shared/platform/aws-requests.ts';
import { dynamoTable } from '../shared/platform/dynamo-table.ts';
import { openTable } from '../shared/platform/open-table.ts';
import type { SharedTable } from '../shared/platform/table.ts';

export interface Place {
  readonly bucket: string;
  /** The table that instances share; undefined if only objects are there. */
  readonly table: SharedTable | undefined;
  /** The ARN of the edge store of keys; undefined without a distribution. */
  readonly edgeKeys: string | undefined;
  /** Whether the versions of objects are kept. */
  readonly hasVersions: boolean;
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
  --store <PATH>      the folder of a server, which may run meanwhile (default: .local/server)`;

const TIMEOUT_MS = 10_000;
const defaultFolder = join(import.meta.dirname, '../.local/server');

/**
 * Finds the data, and lets the functions' code in this process use it. `endpoint` is the address of any S3-compatible server. Throws
 * an Error if there is none, CloudFormation's errors, and those of the file system and SQLite.
 */
export async function placeOf({
  stage,
  endpoint,
  bucket = 'local',
  store = defaultFolder,
}: Where): Promise<Place> {
  if (stage) return placeOfStage(stage);
  if (endpoint === undefined) return placeInFolder(store, bucket);
  const { env } = process;
  env.AWS_ENDPOINT_URL_S3 = endpoint;
  env.AWS_REGION ||= 'us-east-1';
  env.AWS_ACCESS_KEY_ID ||= 'local';
  env.AWS_SECRET_ACCESS_KEY ||= 'local';
  return { bucket, table: undefined, edgeKeys: undefined, hasVersions: true };
}

async function placeInFolder(store: string, bucket: string): Promise<Place> {
  useFolder(openFolder(serverFolderIn(store)));
  return { bucket, table: await openTable(bucket), edgeKeys: undefined, hasVersions: false };
}

/** A server's folder has one for each kind of prices. Of several, the one in use is meant. */
function serverFolderIn(store: string): string {
  if (isServerFolder(store)) return store;
  const found = namesIn(store)
    .map((name) => join(store, name))
    .filter(isServerFolder);
  const [only, ...others] = found.length > 1 ? found.filter(isInUse) : found;
  if (only !== undefined && others.length === 0) return only;
  if (found.length === 0)
    throw new Error(`No server has its data in ${store}: run npm start, or give --stage or --store`);
  const choices = found.map((folder) => `--store ${relative(process.cwd(), folder)}`);
  throw new Error(`There are several in ${store}: give ${choices.join(' or ')}`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
  const table = output('SharedTableName');
  return {
    bucket,
    table:
      table === undefined
        ? undefined
        : dynamoTable(table, accessOfLambda('dynamodb'), { timeoutMs: TIMEOUT_MS }),
    edgeKeys: output('EdgeKeysArn'),
    hasVersions: true,
  };
}
