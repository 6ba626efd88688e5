/** Many coins in one request beside as many requests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { batchReport, measureBatch } from './batch/requests.ts';
import { conditions } from './conditions.ts';

const dist = join(import.meta.dirname, '../dist');
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '9' } },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write(`--rounds must be a whole number from 1 on, not "${values.rounds}"\n`);
  process.exit(2);
}
if (!existsSync(join(dist, 'functions/marketdata-tickers/index.mjs'))) {
  process.stderr.write('Nothing is built, and the deployed functions are measured: npm run build\n');
  process.exit(1);
}

const machine = conditions(`npm run bench batch -- --rounds ${rounds}`);
const figures = await measureBatch(dist, rounds, (round) => {
  process.stderr.write(process.stderr.isTTY ? `\rround ${round} of ${rounds} ` : '');
});
console.log(`${machine}\n\n${batchReport(figures, rounds)}`);
