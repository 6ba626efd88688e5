/** Cold starts: the ticker on several foundations, and all market-data functions as they are deployed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coldStartOf } from '../test/cold-start.ts';
import {
  type ColdFigures,
  type Contestant,
  coldFiguresOf,
  type WarmFigures,
  warmFiguresOf,
} from './cold/containers.ts';
import { cpuShareOf, cpuShareProblem } from './cold/cpu-share.ts';
import { foundations, WARM_CALLS } from './cold/foundations.ts';
import { deployedReport, foundationsReport, type Measured, ownFigures } from './cold/report.ts';
import { DELAY_MS, JOBS_MS, startWorld } from './cold/world.ts';
import { conditions } from './conditions.ts';
import { type Deployment, deployed } from './deployed.ts';
import { startSources } from './fleet/sources.ts';
import { writeMeasured } from './measured.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '9' },
    memory: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
/** Undefined: the memory that each function is deployed with. */
const memoryMb = values.memory === undefined ? undefined : Number(values.memory);
if ([rounds, memoryMb ?? 1].some((number) => !Number.isSafeInteger(number) || number < 1)) {
  process.stderr.write('--rounds and --memory take a whole number from 1 on\n');
  process.exit(2);
}

const machine = conditions(`npm run bench cold -- ${process.argv.slice(3).join(' ')}`.replace(/ -- $/, ''));
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
try {
  const deployment = await deployed(folder);
  console.log(`${machine}\n`);
  const sources = await startSources(deployment.coins, Date.now);
  const provider = sources.environment.COINPAPRIKA_BASE_URL ?? '';
  const beside = await measured(await foundations(folder, deployment.bundles, provider));
  await sources.close();
  console.log(`${foundationsReport(beside)}\n`);
  console.log(
    `Medians of ${rounds} interleaved rounds, each in a fresh process with a whole core and nothing but an upstream on loopback: from its start to the first answer; then ${WARM_CALLS} timed calls after half as many others, with the ticker in the cache, from changing addresses. All but the empty handler check the key, count the client's requests, check the path parameter, cache the ticker for 60 s and answer the same envelope. KB are 1000 bytes.\n`,
  );
  if (values.json) await writeMeasured('ticker', { measured: machine, ...ownFigures(beside) });
  const problem = cpuShareProblem();
  if (problem)
    console.log(
      `Functions as deployed are not measured: ${problem}. As root on Linux, with cgroups, they are.`,
    );
  else await measureDeployed(deployment);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

async function measureDeployed(deployment: Deployment): Promise<void> {
  const world = await startWorld(folder, deployment);
  const rows = await measured(
    world.contestants.map((one) => ({ ...one, memoryMb: memoryMb ?? one.memoryMb })),
    'shared',
  );
  await world.close();
  console.log(`${deployedReport(rows)}\n`);
  console.log(
    `Medians of ${rounds} interleaved rounds, each container a fresh process: init with a whole core, as on Lambda, then two invocations on memory ÷ 1,769 of one, frozen in between; warm calls with a whole core. S3 and DynamoDB stand behind TLS and answer after ${DELAY_MS} ms; in them is what the deployed jobs have made of ${deployment.coins.length} coins in ${JOBS_MS / 60_000} minutes.`,
  );
}

/** Measures in rounds that each start with another contestant, so that a busy machine affects all equally. */
async function measured(contestants: readonly Contestant[], core?: 'shared'): Promise<Measured[]> {
  const memories = core === 'shared' ? new Set(contestants.map((one) => one.memoryMb)) : [];
  const shares = new Map([...memories].map((mb) => [mb, cpuShareOf(mb)]));
  const cold = new Map(contestants.map((one) => [one, [] as ColdFigures[]]));
  const warmed = new Map(contestants.map((one) => [one, [] as WarmFigures[]]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      const first = round % contestants.length;
      for (const one of [...contestants.slice(first), ...contestants.slice(0, first)]) {
        cold.get(one)?.push(await coldFiguresOf(one, shares.get(one.memoryMb)));
        if (one.warmCalls) warmed.get(one)?.push(await warmFiguresOf(one, one.warmCalls));
      }
      if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds} `);
    }
  } finally {
    for (const share of shares.values()) share.close();
  }
  return Promise.all(
    contestants.map(async (one) => ({
      ...{ name: one.name, memoryMb: one.memoryMb, code: await coldStartOf(one.folder) },
      ...{ cold: cold.get(one) ?? [], warm: warmed.get(one) ?? [] },
    })),
  );
}
