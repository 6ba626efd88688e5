/** `npm run sources -- map`: which market of an exchange is which coin, and why. */
import { parseArgs } from 'node:util';
import { onlyCommand, runCommand } from './command.ts';
import { nextStep, placeAt, placeOptions, whereOf } from './history/where.ts';
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

const NO_MAP =
  'There is no map yet: the job of the markets makes it in three runs, and none if CANDLE_SOURCES is empty';

/** Runs the command that the arguments name, and returns its exit status. */
export const main = (args: readonly string[]) =>
  runCommand(args, {
    usage,
    read(args) {
      const { positionals, values } = parseArgs({
        args: [...args],
        options: { ...placeOptions, explain: { type: 'string' }, json: { type: 'boolean' } },
        allowPositionals: true,
      });
      onlyCommand('map', positionals);
      return { ...values, where: whereOf('map', values) };
    },
    async run({ where, explain, json }) {
      // All that jobs publish lies in one bucket.
      const { bucket } = await placeAt(where);
      const sources = await readSources(bucket);
      if (!sources) {
        console.error(NO_MAP);
        return false;
      }
      const about = explain === undefined ? summaryOf(sources) : explained(sources, explain);
      const text =
        explain === undefined ? mapText(summaryOf(sources)) : explanationText(explained(sources, explain));
      console.log(json ? JSON.stringify(about, null, 2) : text);
      return true;
    },
    failed: (reason, { where }) => `The map cannot be read: ${reason}\n${nextStep(where)}`,
  });

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
