/** A service over some days: its budget, its responses, and its jobs' use, with the deployed bundles in virtual time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { conditions } from './conditions.ts';
import { deployed } from './deployed.ts';
import { report } from './fleet/report.ts';
import { type Day, simulate } from './fleet/simulation.ts';
import { jobFigures } from './job-figures.ts';
import { writeMeasured } from './measured.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    /** Requests of each day; the first day fills the store. */
    requests: { type: 'string', default: '1000,1000,10000,100000,1000000,10000000' },
    /** Coins of the registry; 23 % of them are active, and 2,000 of these are in the provider's list. */
    coins: { type: 'string', default: '13000' },
    /** Coins traded at exchanges; three list some 600 together, and simulating these takes most of the time. */
    traded: { type: 'string', default: '200' },
    /** Hours per day, for tests. */
    hours: { type: 'string', default: '24' },
    json: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
  },
});
const requests = values.requests.split(',').map(Number);
const [count, traded, hours] = [values.coins, values.traded, values.hours].map(Number) as [
  number,
  number,
  number,
];
if ([...requests, count, traded, hours].some((number) => !Number.isSafeInteger(number) || number < 0)) {
  process.stderr.write('--requests takes a comma list of whole numbers, the others one\n');
  process.exit(2);
}

const machine = conditions(
  `npm run bench fleet -- --requests ${values.requests} --coins ${count} --traded ${traded}`,
);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
const faults = new Map<string, number>();
try {
  const deployment = await deployed(folder, count);
  const startedAt = performance.now();
  const result = await simulate({
    ...{ ...deployment, traded, days: requests, dayMs: hours * 3_600_000 },
    onDay: ({ requests: ofDay }: Day) => {
      const minutes = (performance.now() - startedAt) / 60_000;
      process.stderr.write(`a day with ${ofDay} requests; ${minutes.toFixed(1)} min so far\n`);
    },
    onFault(text) {
      const kind = text.replace(/\d[\d.:-]*/g, '…').slice(0, 200);
      faults.set(kind, (faults.get(kind) ?? 0) + 1);
    },
  });
  console.log(`${machine}\n\n${report(result, deployment.functions)}`);
  if (values.json)
    await writeMeasured('jobs', { measured: machine, perJob: jobFigures(result.days, deployment.functions) });
} finally {
  await rm(folder, { recursive: true, force: true });
}
const most = [...faults].sort(([, a], [, b]) => b - a).slice(0, values.faults ? undefined : 5);
for (const [text, times] of most) process.stderr.write(`${times} × ${text}\n`);
process.exit(0);
