/** `npm run history -- status`: how far our own history is, and when it will be complete. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { countObjects } from './history/objects.ts';
import { statusText } from './history/print.ts';
import { statusOf } from './history/status.ts';
import { givenPlace, type Place, placeOfStage } from './history/where.ts';

const usage = `Usage: npm run history -- status [options]

Prints what there is of our own history, what is missing, and when that will be stored at the present budget.

  --stage dev|prod     of a deployed stage, with credentials of the account and AWS_REGION
  --endpoint <URL>     of a server that speaks as S3 does
  --store <PATH>       of the npm start that runs with this --store (.local/store): what is told unless told otherwise
  --bucket <name>      the bucket there (local)
  --table <name>       the table of a server at AWS_ENDPOINT_URL_DYNAMODB, for the wishes that wait there
  --objects            counts all objects as well, and their bytes: a listing of 1,000 names a request
  --json               prints JSON alone

Examples:
  npm run history -- status
  npm run history -- status --stage prod
  npm run history -- status --endpoint http://127.0.0.1:4566 --objects

Exits with 0 if it was printed, 1 if the store cannot be read, 2 for wrong usage.`;

const PLACE_MISSING =
  'Which history? None is served here: run npm start beside it, or give --stage dev, --stage prod or --endpoint';

/** The address of the store of a running `npm start`; undefined if there is none. */
function servedAt(folder = join(import.meta.dirname, '../.local/store')): string | undefined {
  const file = join(folder, 'url');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Runs the command with its arguments and returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const wanted = read(args);
  if (typeof wanted === 'string') {
    console.error(`${wanted}\n\n${usage}`);
    return 2;
  }
  if (wanted.help) {
    console.log(usage);
    return 0;
  }
  try {
    const place = await placeOf(wanted);
    const status = await statusOf(place, Date.now());
    const objects = wanted.objects ? await countObjects(place.bucket) : undefined;
    console.log(wanted.json ? JSON.stringify({ ...status, objects }, null, 2) : statusText(status, objects));
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The history cannot be read: ${reason}\n${nextStep(wanted)}`);
    return 1;
  }
}

function read(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        stage: { type: 'string' },
        endpoint: { type: 'string' },
        store: { type: 'string' },
        bucket: { type: 'string' },
        table: { type: 'string' },
        objects: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
    if (values.help) return { ...values, endpoint: undefined };
    const [command, ...rest] = positionals;
    if (command !== 'status' || rest.length > 0)
      return command ? `Unknown command: ${positionals.join(' ')}` : 'The command is missing';
    const { stage, store, bucket, table } = values;
    const endpoint = values.endpoint ?? (stage ? undefined : servedAt(store));
    if (!stage && !endpoint) return PLACE_MISSING;
    if (stage && (endpoint || store || bucket || table))
      return '--stage finds its bucket and its table by itself: leave the others out';
    if (endpoint && !URL.canParse(endpoint)) return '--endpoint takes a URL, such as http://127.0.0.1:4566';
    return { ...values, endpoint };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Wanted = Exclude<ReturnType<typeof read>, string>;

function placeOf({ stage, endpoint = '', bucket, table }: Wanted): Promise<Place> | Place {
  if (!stage) return givenPlace(endpoint, { bucket, table });
  return placeOfStage(stage, new CloudFormationClient(), new LambdaClient());
}

function nextStep({ stage, endpoint }: Wanted): string {
  return stage
    ? `Is marketdata-${stage} deployed, and are credentials and AWS_REGION those of its account?`
    : `Is npm start running, with its store at ${endpoint}?`;
}

process.exitCode = await main(process.argv.slice(2));
