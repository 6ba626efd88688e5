import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildRegistry, writeRegistry } from '../registry-layer/build.ts';
import { compareEntries } from '../registry-layer/encode.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { fileEntries } from '../registry-layer/sources.ts';
import type { RegistryEntry } from '../shared/registry/entries.ts';
import { makeQueries, type TestQuery } from '../test/registry/queries.ts';
import { conditions } from './conditions.ts';
import { type EngineName, engineNames, LIST_FILE } from './registry/engines.ts';
import { type Figures, QUERIES_FILE } from './registry/measure.ts';
import { figuresTable, qualityTable, type Results, targetsTable } from './registry/report.ts';

/** The coin registry beside JSON.parse with Maps and four search libraries, on the same lists and queries. */

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seed: { type: 'string', default: '1' },
    list: { type: 'string' },
    queries: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '9' },
  },
});
const [seed, perKind, rounds] = [values.seed, values.queries, values.rounds].map(Number) as [
  number,
  number,
  number,
];
if (![seed, perKind, rounds].every((number) => Number.isSafeInteger(number) && number >= 1)) {
  process.stderr.write('--seed, --queries (of each kind) and --rounds must be whole numbers from 1 on\n');
  process.exit(2);
}

/** Time that each process gets for its counted queries: 20,000 of the fastest, some dozens of the slowest. */
const QUERY_MS = 2000;
/** Time for judging the answers of an engine: all queries, but for the slowest. */
const QUALITY_MS = 60_000;
const run = promisify(execFile);
const child = (script: string) => join(import.meta.dirname, 'registry', script);

const folder = await mkdtemp(join(tmpdir(), 'registry-bench-'));
try {
  const lists = [{ name: 'the simulated list', entries: simulatedEntries() }];
  if (values.list) lists.push({ name: basename(values.list), entries: await fileEntries(values.list) });
  console.log(
    `${conditions(['npm run bench registry --', ...process.argv.slice(3)].join(' '))}; ${await versions()}\n`,
  );
  console.log(
    `Medians of ${rounds} fresh processes for each engine; ${perKind} queries of each kind, seed ${seed}.\n`,
  );
  for (const { name, entries } of lists) {
    const results = await measureList(join(folder, name), entries);
    console.log(`### On ${name}: ${results.entries} entries\n`);
    console.log(`${targetsTable(results)}\n\n${figuresTable(results)}\n\n${qualityTable(results)}\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureList(listFolder: string, entries: readonly RegistryEntry[]): Promise<Results> {
  const { indexBytes, queries } = await prepare(listFolder, entries);
  const reads: number[] = [];
  const figures = new Map<EngineName, Figures[]>(engineNames.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    reads.push((await measured<Figures>('measure.ts', ['read', listFolder])).loadMs);
    for (const name of engineNames) {
      figures.get(name)?.push(await measured<Figures>('measure.ts', [name, listFolder, String(QUERY_MS)]));
    }
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds}\x1b[K`);
  }
  const places: [EngineName, number[]][] = [];
  for (const name of engineNames)
    places.push([name, await measured<number[]>('quality.ts', [name, listFolder, String(QUALITY_MS)])]);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return {
    entries: entries.length,
    indexBytes,
    readMs: median(reads),
    figures: byName([...figures].map(([name, all]) => [name, medians(all)])),
    queries,
    places: byName(places),
  };
}

/** Puts the registry, the list as JSON and the queries into one folder, for the processes to read. */
async function prepare(listFolder: string, entries: readonly RegistryEntry[]) {
  await mkdir(listFolder);
  const built = buildRegistry(entries, { source: 'bench' });
  await writeRegistry(listFolder, built);
  await writeFile(join(listFolder, LIST_FILE), JSON.stringify(entries.toSorted(compareEntries)));
  const queries = interleaved(makeQueries(entries, perKind, seed));
  await writeFile(join(listFolder, QUERIES_FILE), JSON.stringify(queries));
  return { indexBytes: built.bytes.byteLength, queries };
}

/** One of each kind after another, so that slow engines, which come not far, meet all kinds too. */
function interleaved(queries: readonly TestQuery[]): TestQuery[] {
  const kinds = [...Map.groupBy(queries, ({ kind }) => kind).values()];
  return Array.from({ length: perKind }, (_, index) => kinds.flatMap((kind) => kind[index] ?? [])).flat();
}

async function measured<Result>(script: string, args: readonly string[]): Promise<Result> {
  const { stdout } = await run(process.execPath, ['--expose-gc', child(script), ...args], {
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function medians(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  return Object.fromEntries(
    names.map((name) => [name, median(all.map((figures) => figures[name]))]),
  ) as unknown as Figures;
}

/** `pairs` has each engine once. */
function byName<Value>(pairs: readonly (readonly [EngineName, Value])[]): Record<EngineName, Value> {
  return Object.fromEntries(pairs) as Record<EngineName, Value>;
}

async function versions(): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8'));
  const names = ['@leeoniya/ufuzzy', 'minisearch', 'fuse.js', 'fuzzysort'];
  return names.map((name) => `${name} ${devDependencies[name]}`).join(', ');
}
