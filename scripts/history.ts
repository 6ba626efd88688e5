/** `npm run history -- status | show | restore | export`: shows what is stored, and restores or exports it. */
import { HISTORY_PREFIX, VERSION_DAYS } from '../shared/marketdata/store/names.ts';
import { command, runCommand, timeIn } from '../shared/platform/command.ts';
import { parseInstant } from '../shared/platform/instant.ts';
import { objectsOf } from '../shared/platform/objects.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { exportTo } from './history/export.ts';
import { carryOut, planOf, planText } from './history/restore.ts';
import { shownOf, statusOf } from './history/stored.ts';
import { placeOf, placeOptions, placeUsage } from './place.ts';

const usage = `Usage: npm run history -- status [options]
       npm run history -- show <coin id or symbol> [options]
       npm run history -- restore <name> --to <time> [--apply] [--remove] [options]
       npm run history -- export --to <folder> [--coins <ids>] [--interval 1h|24h] [--since <date>] [options]

\`status\` shows the state of the stored history, and \`show\` the data of one coin: ticker, markets and candles (JSON).
\`restore\` shows how it would restore objects to a time of the last ${VERSION_DAYS} days; --apply does it. <name> is an object below
history/, a prefix that ends with a slash, or / for all. The next roll-up merges the days that a restored object lacks;
--remove deletes objects that did not exist then. Every change can be undone this way.
\`export\` writes the candles of finished days as Parquet files (docs/parquet.md), and continues an earlier run.

${placeUsage}
  --endpoint <URL>    the data on an S3-compatible server, with --bucket <name> (default: local)

Examples:
  npm run history -- restore days.v2/ --to 2026-11-20T18:00:00Z --stage prod --apply
  npm run history -- export --to history --coins btc-bitcoin,eth-ethereum --interval 24h

Exit status: 0 success, 1 failure, 2 wrong usage.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
/** Prints JSON, with times in ISO 8601. */
const print = (data: unknown) => {
  const isTime = (key: string) => key === 'at' || key === 'since';
  const readable = (key: string, value: unknown) =>
    isTime(key) && typeof value === 'number' ? new Date(value).toISOString() : value;
  console.log(JSON.stringify(data, readable, 2));
};

const commands = {
  status: command('status', placeOptions, (_, where) => async () => {
    const { bucket } = await placeOf(where);
    print(await statusOf(bucket, Date.now()));
  }),
  show: command('show <coin>', placeOptions, ([coin = ''], where) => async () => {
    const { bucket } = await placeOf(where);
    print(await shownOf(bucket, coin));
  }),
  restore: command(
    'restore <name>',
    { ...placeOptions, to: text, apply: flag, remove: flag },
    ([name = ''], { to, apply, remove = false, ...where }) => {
      const time = timeIn(to ?? '', '--to');
      if (time > Date.now()) throw new Error(`--to is ${to}, which has not come yet`);
      if (time < Date.now() - VERSION_DAYS * DAY_MS)
        throw new Error(`--to is ${to}: versions are kept for ${VERSION_DAYS} days`);
      return async () => {
        const place = await placeOf(where);
        const plan = await planOf(place, { name, to: time, removes: remove });
        console.log(planText(plan));
        if (apply) return carryOut(place.bucket, plan);
        console.log('Nothing was changed: --apply does it');
      };
    },
  ),
  export: command(
    'export --to <folder>',
    { ...placeOptions, to: text, coins: text, interval: text, since: text },
    (_, { to = '', coins, interval, since, ...where }) => {
      const bases = (['24h', '1h'] as const).filter((base) => interval === undefined || base === interval);
      if (bases.length === 0) throw new Error(`--interval takes 1h or 24h, not ${interval}`);
      if (since !== undefined && !parseInstant(since))
        throw new Error(`--since takes a date such as 2025-01-01, not ${since}`);
      return async () => {
        const { bucket } = await placeOf(where);
        const selection = { bucket, coins: coins?.split(',').filter(Boolean).sort(), since };
        return exportTo(to, { source: objectsOf(bucket, HISTORY_PREFIX), selection, bases });
      };
    },
  ),
};

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) => runCommand(args, usage, commands);

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
