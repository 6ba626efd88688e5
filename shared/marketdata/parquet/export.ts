/** The stored history as Parquet files, for each year of days and each month of hours. It makes no upstream calls. */
import { parseInstant } from '../../platform/instant.ts';
import { jsonIn } from '../../platform/stored-object.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { BaseInterval } from '../window.ts';
import { CandleParquet } from './candle-parquet.ts';
import { type HistoryObjects, StoredPeriods } from './periods.ts';

/** The destination of the files. */
export interface ExportTarget {
  read(name: string): Promise<Uint8Array | undefined>;
  /** Readers need not see it before it is `complete`. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  complete(names: readonly string[]): Promise<void>;
}

/** A target contains one selection. */
export interface Selection {
  readonly bucket: string;
  readonly coins?: readonly string[] | undefined;
  /** An ISO 8601 time. */
  readonly since?: string | undefined;
}

interface ExportOptions {
  readonly source: HistoryObjects;
  readonly target: ExportTarget;
  readonly selection: Selection;
  readonly bases: readonly BaseInterval[];
  /** A file ends with the coin that exceeds this number of rows: half a million are 16 MB. */
  readonly rowsPerFile?: number;
}

export interface ExportResult {
  readonly rows: number;
  /** Files that this run has written. */
  readonly written: number;
  /** Files that stay, because their stored objects are unchanged. */
  readonly kept: number;
  /** Coins of the selection that have no candles. */
  readonly missing: readonly string[];
  /** Objects of the store that cannot be opened completely. */
  readonly damaged: readonly string[];
}

/** What was exported, by period. */
interface Manifest {
  readonly version: typeof VERSION;
  readonly selection: Selection;
  readonly periods: Record<
    string,
    {
      readonly objects: Record<string, string>;
      readonly files: string[];
      /** Coins of the selection with candles in the period. */
      readonly coins: string[];
      rows: number;
    }
  >;
}

const MANIFEST = 'manifest.json';
/** The version of the manifest and the files. */
const VERSION = 1;
const ROWS_PER_FILE = 500_000;

/**
 * Exports completed days. A run continues where another one ended, and rewrites a period only if one of its objects has
 * changed. Files of hours that the store has deleted stay. Throws an Error if the target contains another selection, and what
 * `Objects` throw.
 */
export async function exportHistory(options: ExportOptions): Promise<ExportResult> {
  const { source, target, selection, bases, rowsPerFile = ROWS_PER_FILE } = options;
  const from = parseInstant(selection.since ?? '')?.first ?? Number.NEGATIVE_INFINITY;
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const manifest = await manifestOf(target, selection);
  const stored = new StoredPeriods(source, { bases, coins: selection.coins, from, to });
  let rows = 0;
  let written = 0;
  let kept = 0;
  for (const period of await stored.list()) {
    const before = manifest.periods[period.name];
    if (before && (await stored.isMadeOf(period, before.objects))) {
      rows += before.rows;
      kept += before.files.length;
      continue;
    }
    const made: Manifest['periods'][string] = { objects: {}, files: [], coins: [], rows: 0 };
    let file = new CandleParquet();
    const write = async () => {
      const folder = `interval=${period.base}/year=${period.name.slice(0, 4)}`;
      const name = `${folder}/${period.name}-${made.files.length}.parquet`;
      await target.write(name, file.end());
      made.files.push(name);
      file = new CandleParquet();
    };
    const note = (name: string, digest: string) => {
      made.objects[name] = digest;
    };
    for await (const [id, candles] of stored.coins(period, note)) {
      for (const candle of candles) file.add(id, candle);
      if (selection.coins && candles.length > 0) made.coins.push(id);
      made.rows += candles.length;
      if (file.rows >= rowsPerFile) await write();
    }
    if (file.rows > 0) await write();
    written += made.files.length;
    // A former file that is no longer needed is replaced by an empty one.
    while (before && made.files.length < before.files.length) await write();
    await target.complete(made.files);
    rows += made.rows;
    manifest.periods[period.name] = made;
    await target.write(MANIFEST, Buffer.from(JSON.stringify(manifest)));
    await target.complete([MANIFEST]);
  }
  const found = new Set(Object.values(manifest.periods).flatMap(({ coins }) => coins));
  const missing = selection.coins?.filter((id) => !found.has(id)) ?? [];
  return { rows, written, kept, missing, damaged: [...stored.damaged].sort() };
}

async function manifestOf(target: ExportTarget, selection: Selection): Promise<Manifest> {
  const bytes = await target.read(MANIFEST);
  if (!bytes) return { version: VERSION, selection, periods: {} };
  const manifest = jsonIn(bytes) as Manifest; // written above
  const there = JSON.stringify(manifest.selection);
  const wanted = JSON.stringify(selection);
  if (manifest.version !== VERSION || there !== wanted)
    throw new Error(
      `The target holds version ${manifest.version} of ${there}, not ${wanted}: choose another one`,
    );
  return manifest;
}
