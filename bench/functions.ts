/** The ticker endpoint as this project ships it beside the same endpoint on other foundations. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { routes } from '../functions/routes.ts';
import { functionId } from '../scripts/build.ts';
import { type ColdStart, coldStartOf } from '../test/cold-start.ts';
import { conditions } from './conditions.ts';
import { inTurn } from './deployed/process.ts';
import { CALLS, type Figures, measure, WARM_UP_CALLS } from './functions/measurement.ts';
import { type Row, table, verdicts } from './functions/report.ts';
import { startUpstream } from './functions/upstream.ts';
import { buildVariants, oursBelow, type Variant } from './functions/variants.ts';
import { medianOf } from './median.ts';

const DEFAULT_ROUNDS = 15;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: String(DEFAULT_ROUNDS) }, json: { type: 'string' } },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write(`--rounds must be a whole number from 1 on, not "${values.rounds}"\n`);
  process.exit(2);
}

const machine = conditions(`npm run bench functions -- --rounds ${rounds}`);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
const upstream = await startUpstream();
try {
  const variants = await buildVariants(folder);
  const figures = await measureInRounds(variants, upstream.url);
  const rows = await Promise.all(
    variants.map(async (variant): Promise<Row> => {
      const all = figures.get(variant) ?? [];
      return { variant, ...(await coldStartOf(variant.folder)), ...medians(all) };
    }),
  );
  if (values.json) await writeOwnFigures(values.json, rows);
  console.log(`${machine}\n`);
  console.log(`${table(rows)}\n`);
  console.log(
    `Medians of ${rounds} interleaved rounds, each in a fresh process, which has loaded node:http before the function as the runtime of Lambda has: the first answer, with a call of an upstream on loopback, and the processor time that it took, which a busy machine lengthens less; then ${CALLS} timed calls, after ${WARM_UP_CALLS} others, with the ticker in the cache, from changing addresses because of the limit. All but the empty handler check the key, count the client's requests, check the path parameter, cache the ticker for 60 s and answer the same envelope. KB are 1000 bytes.\n`,
  );
  console.log(verdicts(rows, await coldStartsBelow(oursBelow(folder))));
} finally {
  upstream.close();
  await rm(folder, { recursive: true, force: true });
}

/** The figures of this project's own function, for what is computed from them (docs/cost.md). */
async function writeOwnFigures(file: string, rows: readonly Row[]): Promise<void> {
  const ours = rows.find(({ variant }) => variant.name === 'Ours');
  if (!ours) throw new Error('No variant Ours');
  const { initMs, firstAnswerMs, cpuMs, p50Us, p99Us } = ours;
  const figures = { measured: machine, initMs, firstAnswerMs, cpuMs, p50Us, p99Us };
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
}

/** Every variant once a round. */
async function measureInRounds(variants: readonly Variant[], upstreamUrl: string) {
  const figures = new Map<Variant, Figures[]>(variants.map((variant) => [variant, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const variant of inTurn(variants, round))
      figures.get(variant)?.push(await measure(variant, upstreamUrl));
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds} `);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  return figures;
}

function medians(all: readonly Figures[]): Figures {
  const middle = (name: keyof Figures) => medianOf(all, name);
  return {
    initMs: middle('initMs'),
    firstAnswerMs: middle('firstAnswerMs'),
    cpuMs: middle('cpuMs'),
    p50Us: middle('p50Us'),
    p99Us: middle('p99Us'),
    rssBytes: middle('rssBytes'),
  };
}

async function coldStartsBelow(functions: string): Promise<(ColdStart & { id: string })[]> {
  const ids = routes.map(({ name }) => functionId(name));
  return Promise.all(ids.map(async (id) => ({ id, ...(await coldStartOf(join(functions, id))) })));
}
