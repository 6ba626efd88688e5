/** `npm run history -- status | restore | export`: how far our own history is, what was lost of it, and a copy of it. */
import { parseArgs } from 'node:util';
import { onlyCommand, runCommand } from './command.ts';
import { exportTo } from './history/export.ts';
import { countObjects } from './history/objects.ts';
import { statusText } from './history/print.ts';
import { carryOut, planOf, planText, timeOf } from './history/restore.ts';
import { statusOf } from './history/status.ts';
import { nextStep, placeAt, placeOptions, whereOf } from './history/where.ts';

const usage = `Usage: npm run history -- status [options]
       npm run history -- restore <name> --to <time> [options]
       npm run history -- restore set-aside/<name> [options]
       npm run history -- export --to <folder> [options]

\`status\` prints what there is of our own history, what is missing, and when that will be stored at the present budget.
\`restore\` prints how it would bring objects back to what they were at a time, at most 30 days ago; with --apply it does
so. Candles of then are joined with those of now, so a series keeps the days that were stored since. Every change is a
new version, so it can be undone in the same way. What jobs have set aside is joined likewise.
\`export\` writes all stored candles of days that are over as Parquet files (docs/parquet.md). It makes no upstream calls.
The next run writes only what has changed since, and a run that was interrupted is continued.

  <name>               of an object below history/, or the beginning of many with a slash at its end; / is all of them
  --to <time>          such as 2026-11-20T18:00:00Z
  --apply              does what is printed; without it nothing changes
  --exactly            as it was then, without what was stored since
  --remove             removes objects that were not there then; without it they are left

  --to <folder>        where the files are written; a folder holds one selection of coins and dates
  --coins <ids>        separated by commas (all)
  --interval 1h|24h    one length of candles (both)
  --since <date>       leaves out what is older, such as 2025-01-01

  --stage dev|prod     of a deployed stage, with credentials of the account and AWS_REGION
  --endpoint <URL>     of a server that speaks as S3 does
  --store <PATH>       of the npm start that runs with this --store (.local/store): what is told unless told otherwise
  --bucket <name>      the bucket there (local)
  --objects            counts all objects as well, and their bytes: a listing of 1,000 names a request
  --json               prints JSON alone

Examples:
  npm run history -- status
  npm run history -- status --stage prod
  npm run history -- status --endpoint http://127.0.0.1:4566 --objects
  npm run history -- restore days.v1/2026/07 --to 2026-11-20T18:00:00Z --stage prod
  npm run history -- restore days.v1/ --to 2026-11-20T18:00:00Z --stage prod --apply
  npm run history -- export --to history --coins btc-bitcoin,eth-ethereum --interval 24h

Exits with 0 if all was printed, restored or exported, 1 if the store or an object of it cannot be read or restored, 2
for wrong usage.`;

type Command = () => Promise<boolean>;

function readStatus(args: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: {
      ...placeOptions,
      objects: { type: 'boolean' },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  onlyCommand('status', positionals);
  const where = whereOf('history', values);
  const command: Command = async () => {
    const place = await placeAt(where);
    const status = await statusOf(place, Date.now());
    const objects = values.objects ? await countObjects(place.bucket) : undefined;
    console.log(values.json ? JSON.stringify({ ...status, objects }, null, 2) : statusText(status, objects));
    return true;
  };
  return { where, command };
}

function readRestore(args: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: {
      ...placeOptions,
      to: { type: 'string' },
      apply: { type: 'boolean' },
      exactly: { type: 'boolean' },
      remove: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [, name, ...others] = positionals;
  if (!name || others.length > 0) throw new Error('Restore what? Give one name, or the beginning of many');
  const isSetAside = name.startsWith('set-aside/');
  const to = isSetAside && values.to === undefined ? Date.now() : timeOf(values.to, Date.now());
  const where = whereOf('history', values);
  const command: Command = async () => {
    const { bucket } = await placeAt(where);
    const plan = await planOf(bucket, {
      ...{ name, to },
      isExact: values.exactly === true,
      removes: values.remove === true,
    });
    console.log(planText(plan));
    if (!values.apply) {
      console.log('Nothing was changed: --apply does it');
      return true;
    }
    const failed = await carryOut(bucket, plan);
    for (const [one, reason] of failed) console.error(`${one} was not restored: ${reason}`);
    return failed.size === 0;
  };
  return { where, command };
}

function readExport(args: readonly string[]) {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: {
      ...placeOptions,
      to: { type: 'string' },
      coins: { type: 'string' },
      interval: { type: 'string' },
      since: { type: 'string' },
    },
    allowPositionals: true,
  });
  onlyCommand('export', positionals);
  const { to, interval, since } = values;
  if (!to) throw new Error('Export where to? Give a folder with --to');
  const bases = (['24h', '1h'] as const).filter((base) => interval === undefined || base === interval);
  if (bases.length === 0) throw new Error(`--interval takes 1h or 24h, not ${interval}`);
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new Error(`--since takes a date such as 2025-01-01, not ${since}`);
  const coins = values.coins?.split(',').filter(Boolean).sort();
  const where = whereOf('history', values);
  const command: Command = async () => {
    const { bucket } = await placeAt(where);
    return exportTo(to, bases, { bucket, coins, since });
  };
  return { where, command };
}

const commands = { status: readStatus, restore: readRestore, export: readExport };

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) =>
  runCommand(args, {
    usage,
    read: (given) => {
      const name = (['restore', 'export'] as const).find((one) => given.includes(one));
      return commands[name ?? 'status'](given);
    },
    run: ({ command }) => command(),
    failed: (reason, { where }) => `The history cannot be read: ${reason}\n${nextStep(where)}`,
  });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
