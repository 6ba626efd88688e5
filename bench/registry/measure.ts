/** Measures one engine in this fresh process and prints its figures as JSON: `measure.ts <engine> <folder> <ms>`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestQuery } from '../../test/registry/queries.ts';
import { type EngineName, openers } from './engines.ts';

export interface Figures {
  readonly loadMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly firstLookupMs: number;
  readonly idsPerSecond: number;
  readonly symbolsPerSecond: number;
  readonly firstQueryMs: number;
  /** Over the queries that fit into the time, each at its fastest. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The longest of the worst inputs, each taken at its fastest of ten unless it is slow. */
  readonly worstMs: number;
}

export const QUERIES_FILE = 'queries.json';
const LOOKUPS = 100_000;

/** Inputs of 100 characters that give an engine as much to do as they can. */
const worstInputs = [
  'a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n',
  'er an on in co ba ma to le re ai ne or ra st en at is ti al er an on in co ba ma to le re ai ne or r',
  'coin token inu doge finance swap network protocol dao cat the on of ai meme pepe coin token inu doge',
  'coinn tokenn financee swapp networkk protocoll tokken ethereumm bitcoinn wrappedd protocl netwrk cat',
  'cointokeninudogefinanceswapnetworkprotocoldaocattheonofaimemepepecoinnetworkprotocolbitcoinethereumx',
  'a'.repeat(100),
];

if (import.meta.main) {
  const [engine = '', folder = '', milliseconds = ''] = process.argv.slice(2);
  const figures =
    engine === 'read' ? readIndex(folder) : await measure(engine as EngineName, folder, Number(milliseconds));
  console.log(JSON.stringify(figures));
}

/** The bare read of the index, which no opening can be faster than. */
function readIndex(folder: string): Pick<Figures, 'loadMs'> {
  const name = readdirSync(folder).find((file) => file.endsWith('.idx')) ?? '';
  return { loadMs: timed(() => readFileSync(join(folder, name))).ms };
}

async function measure(name: EngineName, folder: string, milliseconds: number): Promise<Figures> {
  const queries: readonly TestQuery[] = JSON.parse(readFileSync(join(folder, QUERIES_FILE), 'utf8'));
  const open = await openers[name]();
  const before = memory();
  const { result: engine, ms: loadMs } = timed(() => open(folder));
  const after = memory();
  const heap = { heapBytes: after.heapUsed - before.heapUsed, rssBytes: after.rss - before.rss };
  return { loadMs, ...heap, ...lookups(engine, queries), ...searches(engine, queries, milliseconds) };
}

type OpenEngine = ReturnType<Awaited<ReturnType<(typeof openers)[EngineName]>>>;

function lookups({ lookup }: OpenEngine, queries: readonly TestQuery[]) {
  const ids = queries.map(({ id }) => id);
  const symbols = ids.map((id) => id.split('-')[0] ?? '');
  const first = timed(() => lookup?.byId(ids[0] ?? '')).ms;
  return {
    firstLookupMs: Math.max(first, timed(() => lookup?.bySymbol(symbols[0] ?? '')).ms),
    idsPerSecond: perSecond(ids, (id) => lookup?.byId(id)),
    symbolsPerSecond: perSecond(symbols, (symbol) => lookup?.bySymbol(symbol)),
  };
}

function perSecond(keys: readonly string[], look: (key: string) => unknown): number {
  let found = 0; // counted, so that no look-up can be left out as useless
  const run = (count: number) => {
    for (let index = 0; index < count; index++) if (look(keys[index % keys.length] ?? '')) found++;
  };
  run(LOOKUPS / 5);
  const { ms } = timed(() => run(LOOKUPS));
  return found > 0 ? LOOKUPS / (ms / 1000) : Number.NaN;
}

/** First one query, then as many as fit into half of the time to warm up, then those that are counted. */
function searches({ search }: OpenEngine, queries: readonly TestQuery[], milliseconds: number) {
  const firstQueryMs = timed(() => search('etherium')).ms;
  fastestTimes(milliseconds / 2, queries, search);
  const times = fastestTimes(milliseconds, queries, search).sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return {
    firstQueryMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    worstMs: worstOf(search, milliseconds),
  };
}

/** The longest of the worst inputs; those that no longer fit into the time are left out. */
function worstOf(search: OpenEngine['search'], milliseconds: number): number {
  const end = performance.now() + milliseconds;
  let worst = 0;
  for (const input of worstInputs) {
    if (performance.now() > end) break;
    const first = timed(() => search(input)).ms;
    const isSlow = first > milliseconds / 10;
    worst = Math.max(
      worst,
      isSlow ? first : Math.min(first, ...Array.from({ length: 9 }).map(() => timed(() => search(input)).ms)),
    );
  }
  return worst;
}

/**
 * For each query that is reached within the time the fastest of its runs, in as many passes as fit: what the query
 * takes, not how often another process takes the processor away.
 */
function fastestTimes(
  milliseconds: number,
  queries: readonly TestQuery[],
  search: OpenEngine['search'],
): number[] {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let run = 0; performance.now() < end || run === 0; run++) {
    const index = run % queries.length;
    const { ms } = timed(() => search(queries[index]?.text ?? ''));
    times[index] = Math.min(ms, times[index] ?? ms);
  }
  return times;
}

function memory(): NodeJS.MemoryUsage {
  globalThis.gc?.();
  return process.memoryUsage();
}

function timed<Result>(run: () => Result): { result: Result; ms: number } {
  const start = performance.now();
  const result = run();
  return { result, ms: performance.now() - start };
}
