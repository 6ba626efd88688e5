/** `npm run history -- status`: how far our own history is, and when it will be complete. */
import { parseArgs } from 'node:util';
import { onlyCommand, runCommand } from './command.ts';
import { countObjects } from './history/objects.ts';
import { statusText } from './history/print.ts';
import { statusOf } from './history/status.ts';
import { nextStep, placeAt, placeOptions, whereOf } from './history/where.ts';

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

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) =>
  runCommand(args, {
    usage,
    read(args) {
      const { positionals, values } = parseArgs({
        args: [...args],
        options: {
          ...placeOptions,
          table: { type: 'string' },
          objects: { type: 'boolean' },
          json: { type: 'boolean' },
        },
        allowPositionals: true,
      });
      onlyCommand('status', positionals);
      return { ...values, where: whereOf('history', values) };
    },
    async run({ where, json, objects: isCounting }) {
      const place = await placeAt(where);
      const status = await statusOf(place, Date.now());
      const objects = isCounting ? await countObjects(place.bucket) : undefined;
      console.log(json ? JSON.stringify({ ...status, objects }, null, 2) : statusText(status, objects));
      return true;
    },
    failed: (reason, { where }) => `The history cannot be read: ${reason}\n${nextStep(where)}`,
  });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
