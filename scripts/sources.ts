/** `npm run sources -- map`: which market of an exchange is which coin, and why. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { givenPlace, placeOfStage } from './history/where.ts';
import { explained, explanationText } from './sources/explain.ts';
import { mapText, summaryOf } from './sources/print.ts';
import { readSources } from './sources/read.ts';

const usage = `Usage: npm run sources -- map [options]

Prints which markets of exchanges trade which coin, as the job of the markets has found out.

  --explain <symbol or coin id>  all markets of that symbol, the coins that may be meant, and why one was taken or not
  --stage dev|prod               of a deployed stage, with credentials of the account and AWS_REGION
  --endpoint <URL>               of a server that speaks as S3 does
  --store <PATH>                 of the npm start that runs with this --store (.local/store): what is told unless told otherwise
  --bucket <name>                the bucket there (local)
  --json                         prints JSON alone

Examples:
  npm run sources -- map
  npm run sources -- map --explain BTC
  npm run sources -- map --explain sol-solana --stage prod --json

Exits with 0 if it was printed, 1 if there is none or it cannot be read, 2 for wrong usage.`;

const PLACE_MISSING =
  'Which map? None is served here: run npm start beside it, or give --stage dev, --stage prod or --endpoint';

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
    const sources = await readSources(await bucketOf(wanted));
    if (!sources) {
      console.error(
        'There is no map yet: the job of the markets makes it in three runs, and none if CANDLE_SOURCES is empty',
      );
      return 1;
    }
    const { explain } = wanted;
    const about = explain === undefined ? summaryOf(sources) : explained(sources, explain);
    const text =
      explain === undefined ? mapText(summaryOf(sources)) : explanationText(explained(sources, explain));
    console.log(wanted.json ? JSON.stringify(about, null, 2) : text);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The map cannot be read: ${reason}\n${nextStep(wanted)}`);
    return 1;
  }
}

function read(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        explain: { type: 'string' },
        stage: { type: 'string' },
        endpoint: { type: 'string' },
        store: { type: 'string' },
        bucket: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
    if (values.help) return { ...values, endpoint: undefined };
    const [command, ...rest] = positionals;
    if (command !== 'map' || rest.length > 0)
      return command ? `Unknown command: ${positionals.join(' ')}` : 'The command is missing';
    const { stage, store, bucket } = values;
    const endpoint = values.endpoint ?? (stage ? undefined : servedAt(store));
    if (!stage && !endpoint) return PLACE_MISSING;
    if (stage && (endpoint || store || bucket))
      return '--stage finds its bucket by itself: leave the others out';
    if (endpoint && !URL.canParse(endpoint)) return '--endpoint takes a URL, such as http://127.0.0.1:4566';
    return { ...values, endpoint };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Wanted = Exclude<ReturnType<typeof read>, string>;

/** All that jobs publish lies in one bucket. */
async function bucketOf({ stage, endpoint = '', bucket }: Wanted): Promise<string> {
  if (!stage) return givenPlace(endpoint, { bucket }).bucket;
  return (await placeOfStage(stage, new CloudFormationClient(), new LambdaClient())).bucket;
}

function nextStep({ stage, endpoint }: Wanted): string {
  return stage
    ? `Is marketdata-${stage} deployed, and are credentials and AWS_REGION those of its account?`
    : `Is npm start running, with its store at ${endpoint}?`;
}

process.exitCode = await main(process.argv.slice(2));
