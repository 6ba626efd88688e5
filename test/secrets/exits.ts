/** Everything that leaves the service, collected: what a run of it has written, wherever that went. */
import { gunzipSync } from 'node:zlib';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { Container } from '../../local/container.ts';
import { functionEnvironment } from '../../local/function-environment.ts';
import type { LocalService } from '../../local/service.ts';
import type { TemplateFunction } from '../../local/template.ts';
import { Workspace } from '../../local/workspace.ts';

/** Every attribute of every row of the tables, unpacked. */
export async function rowsOf({ shared, template }: LocalService): Promise<string[]> {
  if (!shared) throw new Error('the service has no table');
  const client = new DynamoDBClient({
    endpoint: shared.dynamoDb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    const scans = template.tables.map(({ id }) => client.send(new ScanCommand({ TableName: id })));
    const items = (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
    return items.map((item) =>
      Object.entries(item)
        .map(([name, value]) => `${name}: ${value.B ? gunzipSync(value.B) : (value.S ?? value.N)}`)
        .join('\n'),
    );
  } finally {
    client.destroy();
  }
}

/** One run of a job in a process of its own: its result as JSON, undefined if it threw, and all that it printed. */
export async function runJob(
  fn: TemplateFunction,
  environment: Readonly<Record<string, string>>,
): Promise<{ result: string | undefined; lines: string[] }> {
  const workspace = await Workspace.create();
  const lines: string[] = [];
  const needs = [{ environment: Object.keys(environment) }];
  const prepared = await workspace.prepare(fn, functionEnvironment(fn, needs, environment));
  const container = new Container(prepared, { freeze: false, log: (line) => lines.push(line) });
  try {
    await container.ready;
    const outcome = await container.invoke('{}');
    // What it printed comes through a pipe of its own.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { result: outcome.kind === 'answer' ? outcome.payload : undefined, lines };
  } finally {
    container.kill();
    await container.exited;
    await workspace.remove();
  }
}
