/** A service through some days: its budget, its answers, and what its jobs take, with the deployed bundles in virtual time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildRegistry } from '../registry-layer/build.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { writeRegistry } from '../registry-layer/write.ts';
import { build } from '../scripts/build.ts';
import { conditions } from './conditions.ts';
import { deployedFunctions, synthesized } from './deployed.ts';
import { jobFigures, report } from './fleet/report.ts';
import { type Day, simulate } from './fleet/simulation.ts';
import { writeMeasured } from './measured.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    /** Of each day; the first one fills the store. */
    requests: { type: 'string', default: '1000,1000,10000,100000,1000000,10000000' },
    /** In the registry; 23 % of them are active, and 2,000 of these in the provider's list. */
    coins: { type: 'string', default: '13000' },
    /** Of a day, for tests. */
    hours: { type: 'string', default: '24' },
    json: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
  },
});
const requests = values.requests.split(',').map(Number);
const [count, hours] = [Number(values.coins), Number(values.hours)];
if ([...requests, count, hours].some((number) => !Number.isSafeInteger(number) || number < 0)) {
  process.stderr.write('--requests takes a comma list of whole numbers, --coins and --hours one\n');
  process.exit(2);
}

const machine = conditions(`npm run bench fleet -- --requests ${values.requests} --coins ${values.coins}`);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
const faults = new Map<string, number>();
try {
  const bundles = join(folder, 'bundles');
  await build(bundles);
  const coins = simulatedEntries(count);
  const registry = join(folder, 'registry');
  await writeRegistry(registry, buildRegistry(coins, { source: 'bench' }));
  const functions = deployedFunctions(synthesized(join(folder, 'deployed')));
  const startedAt = performance.now();
  const { days, objects } = await simulate({
    ...{ days: requests, dayMs: hours * 3_600_000, coins, functions, bundles, registry },
    onDay: ({ requests: ofDay }: Day) => {
      const minutes = (performance.now() - startedAt) / 60_000;
      process.stderr.write(`a day with ${ofDay} requests; ${minutes.toFixed(1)} min so far\n`);
    },
    onFault(text) {
      const kind = text
        .trim()
        .replace(/\d[\d.:-]*/g, '…')
        .slice(0, 200);
      faults.set(kind, (faults.get(kind) ?? 0) + 1);
    },
  });
  console.log(`${machine}\n\n${report(days, functions, objects)}`);
  if (values.json) await writeMeasured('jobs', { measured: machine, perJob: jobFigures(days, functions) });
} finally {
  await rm(folder, { recursive: true, force: true });
}
const most = [...faults].sort(([, a], [, b]) => b - a).slice(0, values.faults ? undefined : 5);
for (const [text, times] of most) process.stderr.write(`${times} × ${text}\n`);
process.exit(0);
