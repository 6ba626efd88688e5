/** Cold starts of functions as they are deployed, on the share of a processor that Lambda gives. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ColdFigures, coldFiguresOf } from './cold/containers.ts';
import type { Contestant } from './cold/contestant.ts';
import { cpuShareOf, cpuShareProblem } from './cold/cpu-share.ts';
import { NODE_DELAY_MS, startProtocolWorld } from './cold/protocols.ts';
import { type Row, report } from './cold/report.ts';
import { DELAY_MS, startWorld } from './cold/world.ts';
import { conditions } from './conditions.ts';
import { medianOf } from './median.ts';

const DEFAULT_ROUNDS = 9;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
    memory: { type: 'string' },
    protocols: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
/** Undefined: what each function is deployed with. */
const memories = values.memory?.split(',').map(Number) ?? [undefined];
const bad = [rounds, ...memories].find(
  (number) => number !== undefined && (!Number.isSafeInteger(number) || number < 1),
);
if (bad !== undefined) {
  process.stderr.write(
    '--rounds takes a whole number, --memory a comma list of megabytes, such as 128,256,512\n',
  );
  process.exit(2);
}
const problem = cpuShareProblem();
if (problem) {
  console.log(`Nothing was measured: ${problem}. As root on Linux, with cgroups, it can be.`);
  process.exit(0);
}

const chosen = `${values.memory ? ` --memory ${values.memory}` : ''}${values.protocols ? ' --protocols' : ''}`;
const machine = conditions(`npm run bench cold -- --rounds ${rounds}${chosen}`);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
const world = await (values.protocols ? startProtocolWorld(folder) : startWorld(folder));
try {
  const rows: Row[] = [];
  for (const memoryMb of memories) rows.push(...(await measured(memoryMb)));
  console.log(`${machine}\n\n${report(rows)}\n`);
  const there = values.protocols
    ? `A node stands behind TLS and answers after ${NODE_DELAY_MS} ms, with Uniswap on its chain, which stands still between the two.`
    : `S3 and DynamoDB stand behind TLS and answer after ${DELAY_MS} ms; the snapshot of 2,000 tickers, our own history of a year, the candles' series in the table and the registry of 56,000 coins are there.`;
  console.log(
    `Medians of ${rounds} interleaved rounds, each container a fresh process: init with a whole core, as on Lambda, then two invocations on memory ÷ 1,769 of one, frozen in between. ${there} A million requests, one in a hundred cold, at Lambda's list price.`,
  );
} finally {
  await world.close();
  await rm(folder, { recursive: true, force: true });
}

/** All contestants with so much memory, or their own, in rounds, so that a busy machine is unfair to all alike. */
async function measured(chosenMb: number | undefined): Promise<Row[]> {
  const memoryOf = ({ memoryMb }: Contestant) => chosenMb ?? memoryMb;
  const shares = new Map([...new Set(world.contestants.map(memoryOf))].map((mb) => [mb, cpuShareOf(mb)]));
  const figures = new Map(world.contestants.map((contestant) => [contestant, [] as ColdFigures[]]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [contestant, all] of figures) {
        const share = shares.get(memoryOf(contestant));
        if (share) all.push(await coldFiguresOf(contestant, share));
      }
      if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds} `);
    }
  } finally {
    for (const share of shares.values()) share.close();
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  return [...figures].map(([contestant, all]) => ({
    name: contestant.name,
    memoryMb: memoryOf(contestant),
    initMs: medianOf(all, 'initMs'),
    firstMs: medianOf(all, 'firstMs'),
    firstCpuMs: medianOf(all, 'firstCpuMs'),
    secondMs: medianOf(all, 'secondMs'),
    isStale: all.some(({ isStale }) => isStale),
  }));
}
