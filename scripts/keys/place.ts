import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ownerOf } from '../../local/store-owner.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { lendAccess } from '../history/where.ts';
import { awsEdgeStore, type EdgeStore } from './edge-store.ts';

/** Where the keys of a service are: its table, and the store at its edge; a local service has no edge, nor has a stage without a distribution. */
export interface Place {
  readonly table: SharedTable;
  readonly edge: EdgeStore | undefined;
}

export interface Where {
  readonly stage?: string | undefined;
  readonly store?: string | undefined;
}

const SUBSTITUTE = { region: 'us-east-1', key: 'local' } as const;
const TIMEOUT_MS = 10_000;
const localStore = join(import.meta.dirname, '../../.local/store');

export async function placeOf({ stage, store }: Where): Promise<Place> {
  return stage === undefined ? localPlace(store ?? localStore) : stagePlace(stage);
}

function localPlace(folder: string): Place {
  const owner = ownerOf(folder);
  if (!owner?.dynamoDb || !owner.table)
    throw new Error(
      `No service with keys has its store in ${folder}: start NODE_ENV=production npm start beside it, or give --store or --stage`,
    );
  const credentials = { accessKeyId: SUBSTITUTE.key, secretAccessKey: SUBSTITUTE.key };
  const access = { endpoint: owner.dynamoDb, region: SUBSTITUTE.region, credentials };
  return { table: dynamoTable(owner.table, { ...access, timeoutMs: TIMEOUT_MS }), edge: undefined };
}

/** As the outputs of the stage's stack name them. */
async function stagePlace(stage: string): Promise<Place> {
  const cloudFormation = new CloudFormationClient();
  const name = `marketdata-${stage}`;
  const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
  const output = (key: string) => stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  const [table, edge] = [output('SharedTableName'), output('EdgeKeysArn')];
  if (!table) throw new Error(`${name} has no output SharedTableName: deploy this version first`);
  await lendAccess(cloudFormation);
  // A stage without a distribution has no store at the edge.
  return { table: dynamoTable(table), edge: edge === undefined ? undefined : awsEdgeStore(edge) };
}
